package spec

import (
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// textMap accepts a mapping of names to texts.
func textMap(into *map[string]string) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			*into = map[string]string{}
			d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
				var text string
				proseText(&text).decode(d, value, path)
				(*into)[key.Value] = text
			})
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.MapOf(jsonschema.Text()) },
	}
}

// textList accepts a list of texts.
func textList(into *[]string, examples ...any) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) { d.decodeTexts(into, n, path) },
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.List(&jsonschema.Schema{Type: "string", Examples: examples})
		},
	}
}

// wordList accepts a list of at least one word. An empty word would stand for any, or for none; mayBeEmpty says that it has a
// meaning of its own.
func wordList(into *[]string, mayBeEmpty bool, examples ...any) value {
	list := notEmpty(textList(into, examples...), "lists nothing", "name one, or leave the key out")
	texts, schema := list.decode, list.schema
	list.decode = func(d *decoder, n *yaml.Node, path string) {
		texts(d, n, path)
		for i, item := range n.Content {
			switch word := strings.TrimSpace(item.Value); {
			case n.Kind != yaml.SequenceNode || item.Kind != yaml.ScalarNode || yamltext.IsNull(item): // an error already
			case word == "" && (!mayBeEmpty || item.Value != ""):
				d.fail(item, indexPath(path, i), "is empty", "leave it out")
			case word != item.Value:
				d.fail(item, indexPath(path, i), quoteShort(item.Value)+" has a space at an end", "write "+word)
			}
		}
	}
	list.schema = func(l *Language) *jsonschema.Schema {
		s := schema(l)
		s.Items.Pattern = `^\S(.*\S)?$`
		if mayBeEmpty {
			s.Items.Pattern = `^(\S(.*\S)?)?$`
		}
		return s
	}
	return list
}

func (d *decoder) decodeTexts(into *[]string, n *yaml.Node, path string) {
	d.eachItem(n, path, func(n *yaml.Node, path string) {
		if text, ok := d.decodeText(n, path); ok {
			*into = append(*into, text)
		}
	})
}

// distinctList accepts a list of distinct values. An empty list is not the same as an absent one.
// quote formats an item for messages.
func distinctList[T ~string](into *[]T, quote func(string) string, of func(*T) value) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			*into = []T{}
			d.eachItem(n, path, func(n *yaml.Node, path string) {
				var item T
				of(&item).decode(d, n, path)
				for _, other := range *into {
					if item != "" && item == other {
						d.fail(n, path, quote(string(item))+" is listed twice", "")
					}
				}
				if item != "" {
					*into = append(*into, item)
				}
			})
		},
		schema: func(l *Language) *jsonschema.Schema {
			s := jsonschema.List(of(new(T)).schema(l))
			s.UniqueItems = true
			return s
		},
	}
}

// nestedMapping accepts a mapping, and allocates what it is decoded into.
func nestedMapping[T any](into **T, of func(*T) Mapping) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			*into = new(T)
			d.decodeMapping(n, path, of(*into))
		},
		schema: func(l *Language) *jsonschema.Schema { return l.referTo(of(new(T))) },
	}
}

// partMapping accepts a mapping whose keys are fields of the value that contains it, such as
// metadata of an API.
func partMapping(m func() Mapping) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) { d.decodeMapping(n, path, m()) },
		schema: func(l *Language) *jsonschema.Schema { return l.referTo(m()) },
	}
}

// listOf accepts a list of mappings. An empty list is not the same as an absent one.
func listOf[T any](into *[]T, of func(*T) Mapping) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			*into = []T{}
			d.eachItem(n, path, func(n *yaml.Node, path string) {
				var item T
				d.decodeMapping(n, path, of(&item))
				*into = append(*into, item)
			})
		},
		schema: func(l *Language) *jsonschema.Schema { return jsonschema.List(l.referTo(of(new(T)))) },
	}
}

// notEmpty accepts what v does, except for an empty list.
func notEmpty(v value, message, hint string) value {
	list := v
	list.decode = func(d *decoder, n *yaml.Node, path string) {
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.fail(n, path, message, hint)
		}
		v.decode(d, n, path)
	}
	list.schema = func(l *Language) *jsonschema.Schema {
		s := v.schema(l)
		s.MinItems = 1
		return s
	}
	return list
}

// anySchema accepts a schema in either form, the shorthand or a mapping.
func anySchema(decode func(d *decoder, n *yaml.Node)) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, _ string) { decode(d, n) },
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Ref("schema") },
	}
}

// portNumber accepts the number of a port.
func portNumber(into *int32) value { return integerBetween(into, 1, math.MaxUint16) }
