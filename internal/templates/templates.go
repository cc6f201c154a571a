package templates

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

//go:embed files
var files embed.FS

// renderTemplate executes an embedded template. name is its path below files/ without .tmpl.
func renderTemplate(name string, view any) ([]byte, error) {
	path := "files/" + name + ".tmpl"
	source, err := files.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Option("missingkey=error").Funcs(functions()).Parse(string(source))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, view); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// functions returns the functions of the embedded templates: the ones of sprig that they use, and
// three of this package.
var functions = sync.OnceValue(func() template.FuncMap {
	result := template.FuncMap{"scalar": yamlScalar, "quote": strconv.Quote, "prose": wrapComment}
	ofSprig := sprig.TxtFuncMap()
	for _, name := range []string{"first", "semver", "splitList", "ternary"} {
		result[name] = ofSprig[name]
	}
	return result
})

// renderGo renders Go source and formats it.
func renderGo(name string, view any) ([]byte, error) {
	source, err := renderTemplate(name, view)
	if err != nil {
		return nil, err
	}
	formatted, err := format.Source(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return formatted, nil
}

// proseWidth is the width of comments with words of varying length, such as kinds, which templates
// cannot wrap.
const proseWidth = 120

// wrapComment formats a text and returns it as a comment of Go, wrapped.
func wrapComment(format string, words ...any) string {
	var lines []string
	line := "//"
	for _, word := range strings.Fields(fmt.Sprintf(format, words...)) {
		if len(line)+1+len(word) > proseWidth && line != "//" {
			lines, line = append(lines, line), "//"
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n")
}

// yamlScalar returns a string as a YAML scalar on one line, quoted if necessary.
func yamlScalar(value string) (string, error) {
	if strings.ContainsAny(value, "\n\r") {
		return strconv.Quote(value), nil
	}
	out, err := yamltext.Marshal(value)
	return strings.TrimSuffix(string(out), "\n"), err
}
