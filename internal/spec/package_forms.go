package spec

import (
	"io/fs"
	"net/mail"
	"net/url"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

var urlForm = form{
	pattern: `^https?://[^/\s]+\S*$`, expects: "a URL", examples: []any{"https://example.com/echo"},
	check: acceptWith(func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") && !strings.ContainsAny(text, " \t\n")
	}, "write a URL, such as https://example.com/echo"),
}

var maintainerForm = form{
	pattern: maintainerPattern, expects: "a name with an address in angle brackets", examples: []any{"Ada <ada@example.com>"},
	check: acceptWith(func(text string) bool {
		address, err := mail.ParseAddress(text)
		return err == nil && address.Name != "" && maintainer().MatchString(text)
	}, "write a name with an address in angle brackets, such as Ada <ada@example.com>"),
}

const maintainerPattern = `^[^<>@,;:"()\[\]\\]+ <[^<>@\s]+@[^<>@\s]+>$`

var maintainer = lazyregexp.New(maintainerPattern)

var iconForm = form{
	pattern: `^([^/.]|\.[^/.]|\.\.[^/])[^/]*(/([^/.]|\.[^/.]|\.\.[^/])[^/]*)*\.(svg|png)$`,
	expects: "a path from the folder of opgen.yaml that ends in .svg or .png", examples: []any{"docs/icon.svg"},
	check: acceptWith(func(file string) bool {
		return fs.ValidPath(file) && (strings.HasSuffix(file, ".svg") || strings.HasSuffix(file, ".png"))
	}, "write the path of an SVG or PNG file below the project, such as docs/icon.svg"),
}
