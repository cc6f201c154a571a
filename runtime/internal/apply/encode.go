package apply

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
)

// digest is a hash of a text.
type digest [16]byte

func digestOf(text []byte) digest {
	full := sha256.Sum256(text)
	return digest(full[:len(digest{})])
}

// encoder writes values as encoding/json does, with sorted keys, for hashes and patches. It is
// faster and reuses its memory, because content consists of maps, lists, strings and numbers only.
type encoder struct {
	text []byte
	keys []string
	err  error
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encodeJSON calls use with the JSON of a value. use must not keep the text.
func encodeJSON(value any, use func([]byte)) error {
	return withEncoder(func(e *encoder) { e.writeValue(value) }, use)
}

// withEncoder calls use with the text that write has written. use must not keep the text.
func withEncoder(write func(*encoder), use func([]byte)) error {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.text, e.keys, e.err = e.text[:0], e.keys[:0], nil
	write(e)
	if e.err == nil {
		use(e.text)
	}
	return e.err
}

func (e *encoder) writeValue(value any) {
	switch value := value.(type) {
	case nil:
		e.text = append(e.text, "null"...)
	case bool:
		e.text = strconv.AppendBool(e.text, value)
	case int64:
		e.text = strconv.AppendInt(e.text, value, 10)
	case string:
		e.writeString(value)
	case map[string]any:
		e.writeObject(value)
	case []any:
		e.writeList(value)
	default:
		e.writeOther(value)
	}
}

func (e *encoder) writeObject(fields map[string]any) {
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
		e.writeString(key)
		e.text = append(e.text, ':')
		e.writeValue(fields[key])
	}
	e.text = append(e.text, '}')
	e.keys = e.keys[:start]
}

func (e *encoder) writeList(items []any) {
	e.text = append(e.text, '[')
	for i, item := range items {
		if i > 0 {
			e.text = append(e.text, ',')
		}
		e.writeValue(item)
	}
	e.text = append(e.text, ']')
}

func (e *encoder) writeString(text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			e.writeOther(text)
			return
		}
	}
	e.text = append(e.text, '"')
	e.text = append(e.text, text...)
	e.text = append(e.text, '"')
}

// writeOther writes a value that needs encoding/json.
func (e *encoder) writeOther(value any) {
	data, err := json.Marshal(value)
	if err != nil {
		e.err = err
	}
	e.text = append(e.text, data...)
}
