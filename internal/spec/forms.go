package spec

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// form is a form of text, such as that of a DNS label. Its pattern is valid in both ECMAScript, for
// editors, and Go.
type form struct {
	pattern  string
	expects  string // what editors say where the pattern does not match
	examples []any
	most     int // the most characters; 0: as many as the pattern lets in
	// except returns words that match the pattern and are still not accepted; it may be nil.
	except func() []string
	// words returns the only accepted texts; if it is nil, the pattern decides.
	words func() []string
	// check returns the message and the hint for a text that is not of the form, and an empty
	// message for one that is.
	check func(text, path string) (message, hint string)
}

// formedText accepts a text of a form.
func formedText(into *string, f *form) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			text, ok := d.decodeText(n, path)
			if !ok {
				return
			}
			if message, hint := f.check(text, path); message != "" {
				d.fail(n, path, message, hint)
				return
			}
			*into = text
		},
		schema: func(*Language) *jsonschema.Schema { return f.schema() },
	}
}

// textCheckedLater accepts any text, but describes the form to editors. The text is checked when
// the whole file is decoded, as for a path into a schema.
func textCheckedLater(into *string, f *form) value {
	v := anyText(into)
	v.schema = func(*Language) *jsonschema.Schema { return f.schema() }
	return v
}

// emptyOr accepts a text of a form, or the empty text.
func emptyOr(into *string, f *form) value {
	v := formedText(into, f)
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value != "" {
				v.decode(d, n, path)
			}
		},
		schema: func(*Language) *jsonschema.Schema { return f.orEmpty().schema() },
	}
}

// orEmpty returns the form for editors, with the empty text added.
func (f *form) orEmpty() *form {
	return &form{pattern: "^$|" + f.pattern, expects: f.expects}
}

func (f *form) schema() *jsonschema.Schema {
	if f.words != nil {
		return jsonschema.Words(f.words()...)
	}
	s := jsonschema.Matching(f.pattern, f.expects, f.examples...)
	s.MaxLength = f.most
	if f.except != nil {
		s.Not = jsonschema.Words(f.except()...)
	}
	return s
}

// checkWith returns a check with the message "… is not <what>".
func checkWith(is func(string) bool, what, hint string) func(text, path string) (string, string) {
	return func(text, _ string) (string, string) {
		if is(text) {
			return "", ""
		}
		return quoteShort(text) + " is not " + what, hint
	}
}

// acceptWith returns a check with the message "… is not accepted".
func acceptWith(is func(string) bool, hint string) func(text, path string) (string, string) {
	return func(text, _ string) (string, string) {
		if is(text) {
			return "", ""
		}
		return quoteShort(text) + " is not accepted", hint
	}
}
