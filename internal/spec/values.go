package spec

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// anyText accepts a text that is a name or a path.
func anyText(into *string) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if text, ok := d.decodeText(n, path); ok {
				*into = text
			}
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Text() },
	}
}

// proseText accepts a text of any characters. YAML may have cut off its end at " #", see isWhole.
func proseText(into *string) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if text, ok := d.decodeText(n, path); ok && d.isWhole(n, path) {
				*into = text
			}
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Text() },
	}
}

// optionalValue accepts what the value of of does, and keeps absent distinct from empty.
func optionalValue[T any](into **T, of func(*T) value) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			*into = new(T)
			of(*into).decode(d, n, path)
		},
		schema: func(l *Language) *jsonschema.Schema { return of(new(T)).schema(l) },
	}
}

// oneWord accepts one of a few words.
func oneWord[T ~string](into *T, accepted ...T) value {
	words := make([]string, len(accepted))
	for i, word := range accepted {
		words[i] = string(word)
	}
	return value{
		accepts: words,
		decode: func(d *decoder, n *yaml.Node, path string) {
			if word, ok := d.decodeWord(n, path, words); ok {
				*into = T(word)
			}
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Words(accepted...) },
	}
}

// wordOr accepts one of a few words, with a default.
func wordOr[T ~string](preset T, into *T, accepted ...T) value {
	*into = preset
	v := oneWord(into, accepted...)
	v.preset = string(preset)
	return v
}

// fixedWord accepts a single word, which it does not store.
func fixedWord(word string) value {
	return value{
		accepts: []string{word},
		decode: func(d *decoder, n *yaml.Node, path string) {
			d.decodeWord(n, path, []string{word})
		},
		schema: func(*Language) *jsonschema.Schema { return &jsonschema.Schema{Const: word} },
	}
}

// trueOrFalse accepts a boolean.
func trueOrFalse(into *bool) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) { d.decodeBool(into, n, path) },
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Boolean() },
	}
}

// trueOrFalseBy accepts a boolean, with a default.
func trueOrFalseBy(preset bool, into *bool) value {
	*into = preset
	v := trueOrFalse(into)
	v.preset = strconv.FormatBool(preset)
	return v
}

// integerBetween accepts an integer within limits.
func integerBetween[T int | int32 | int64](into *T, least, most int64) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			var integer int64
			if d.decodeInteger(&integer, least, most, n, path) {
				*into = T(integer)
			}
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Integer(least, most) },
	}
}

// integerUpTo accepts an integer from 0, the default, to most.
func integerUpTo[T int | int32 | int64](into *T, most int64) value {
	v := integerBetween(into, 0, most)
	v.preset = "0"
	return v
}

// countOrPercentage accepts an integer from 1, the default, or a percentage from 1% to 100%.
func countOrPercentage(into *string) value {
	return value{
		preset: "1",
		decode: func(d *decoder, n *yaml.Node, path string) {
			var count int64
			switch {
			case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && !percentage().MatchString(n.Value):
				d.fail(n, path, quoteShort(n.Value)+" is neither a number nor a percentage", "from 1, or from 1% to 100%, such as 2 or 25%")
			case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
				*into = n.Value
			case d.decodeInteger(&count, 1, math.MaxInt32, n, path):
				*into = strconv.FormatInt(count, 10)
			}
		},
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.Either(jsonschema.Matching(percentagePattern, "a percentage from 1% to 100%", "25%"), "integer", jsonschema.Integer(1, math.MaxInt32))
		},
	}
}

const percentagePattern = `^([1-9][0-9]?|100)%$`

var percentage = lazyregexp.New(percentagePattern)

// durationBetween accepts a Go duration within limits.
func durationBetween(into *time.Duration, least, most time.Duration) value {
	const amount = `([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)`
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			d.decodeDuration(into, least, most, n, path)
		},
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.Matching(`^\+?`+amount+`(`+amount+`)*$`,
				"a duration with its unit, such as 90s or 5m", "90s", "5m")
		},
	}
}

func (d *decoder) decodeDuration(
	into *time.Duration, least, most time.Duration, n *yaml.Node, path string,
) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
		d.fail(n, path, "expected a duration, got "+describeNode(n), "write its unit: "+n.Value+"s")
		return
	}
	text, ok := d.decodeText(n, path)
	if !ok {
		return
	}
	value, err := time.ParseDuration(text)
	switch {
	case err != nil:
		d.fail(n, path, quoteShort(text)+" is not a duration", "such as 90s, 5m or 1h30m")
	case value < least || value > most:
		d.fail(n, path, text+" is out of range", "from "+least.String()+" to "+most.String())
	default:
		*into = value
	}
}

// base64Text accepts bytes in base64.
func base64Text(into *[]byte) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			text, ok := d.decodeText(n, path)
			if !ok {
				return
			}
			data, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				d.fail(n, path, quoteShort(text)+" is not base64", "write the output of: base64 -w0 ca.crt")
				return
			}
			*into = data
		},
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.Matching(`^([A-Za-z0-9+/=]|\s)*$`, "base64")
		},
	}
}

// ruleText accepts text of another language, such as CEL. It must not be empty.
func ruleText(into *Expression) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			text, ok := d.decodeText(n, path)
			switch {
			case !ok || !d.isWhole(n, path):
			case strings.TrimSpace(text) == "":
				d.fail(n, path, "is empty", "write a rule, or leave the key out")
			default:
				*into = Expression{Pos: d.src.positionOf(n), Text: text, Columns: d.src.valueColumns(n)}
			}
		},
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.Matching(`\S`, "a CEL rule", "self.status.phase == 'Running'")
		},
	}
}
