package apply

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
)

// sum is a hash of a text.
type sum [16]byte

func sumOf(text []byte) sum {
	full := sha256.Sum256(text)
	return sum(full[:len(sum{})])
}

// encoder writes values as encoding/json does, with sorted keys, for hashes and
// for patches. It takes a fraction of the time, since it knows that content
// consists of maps, lists, texts and numbers, and keeps its memory.
type encoder struct {
	text []byte
	keys []string
	err  error
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encode calls use with the JSON of a value, which is not to be kept.
func encode(value any, use func([]byte)) error {
	return encoding(func(e *encoder) { e.value(value) }, use)
}

// encoding calls use with what write has written, which is not to be kept.
func encoding(write func(*encoder), use func([]byte)) error {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.text, e.keys, e.err = e.text[:0], e.keys[:0], nil
	write(e)
	if e.err == nil {
		use(e.text)
	}
	return e.err
}

func (e *encoder) value(value any) {
	switch value := value.(type) {
	case nil:
		e.text = append(e.text, "null"...)
	case bool:
		e.text = strconv.AppendBool(e.text, value)
	case int64:
		e.text = strconv.AppendInt(e.text, value, 10)
	case string:
		e.string(value)
	case map[string]any:
		e.object(value)
	case []any:
		e.list(value)
	default:
		e.other(value)
	}
}

func (e *encoder) object(fields map[string]any) {
	start := len(e.keys)
	for key := range fields {
		e.keys = append(e.keys, key)
	}
	end := len(e.keys)
	slices.Sort(e.keys[start:end])
	e.text = append(e.text, '{')
	for i := start; i < end; i++ {
		if i > start {
			e.text = append(e.text, ',')
		}
		key := e.keys[i]
		e.string(key)
		e.text = append(e.text, ':')
		e.value(fields[key])
	}
	e.text = append(e.text, '}')
	e.keys = e.keys[:start]
}

func (e *encoder) list(items []any) {
	e.text = append(e.text, '[')
	for i, item := range items {
		if i > 0 {
			e.text = append(e.text, ',')
		}
		e.value(item)
	}
	e.text = append(e.text, ']')
}

func (e *encoder) string(text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			e.other(text)
			return
		}
	}
	e.text = append(e.text, '"')
	e.text = append(e.text, text...)
	e.text = append(e.text, '"')
}

func (e *encoder) other(value any) {
	data, err := json.Marshal(value)
	if err != nil {
		e.err = err
	}
	e.text = append(e.text, data...)
}
