package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// An object that does not decode into its Go type ends the list of all objects of its kind, and each watch that shows
// it. A listing that has met one reads answers item by item from then on, and keeps the metadata of such an object, with
// a mark that says why.

// ErrUnreadable is the error of an object of a cache that does not decode into its Go type.
type ErrUnreadable struct{ kind, name, reason string }

func (e ErrUnreadable) Error() string {
	return fmt.Sprintf("%s %s does not decode and is set aside, until somebody mends or deletes it: %s", e.kind, e.name, e.reason)
}

// CheckReadable returns an ErrUnreadable if an object of a cache has its metadata alone, since it does not decode.
func CheckReadable(kind string, object client.Object) error {
	if reason := managedfields.UnreadableReason(object); reason != "" {
		return ErrUnreadable{kind, strings.TrimPrefix(client.ObjectKeyFromObject(object).String(), "/"), reason}
	}
	return nil
}

// readableBody is the body of an answer in which every object decodes: a list, or the events of a watch.
type readableBody struct {
	io.Closer
	documents *json.Decoder
	listing   *listing
	left      []byte // of the last document
}

// Read reads the list, or one event after the other.
func (b *readableBody) Read(into []byte) (n int, err error) {
	if len(b.left) == 0 {
		var document map[string]json.RawMessage
		if err := b.documents.Decode(&document); err != nil {
			return 0, err
		}
		var items []json.RawMessage
		if json.Unmarshal(document["items"], &items) == nil {
			for i, item := range items {
				items[i] = b.listing.readItem(item)
			}
			document["items"], err = json.Marshal(items)
		} else if string(document["type"]) != `"ERROR"` {
			document["object"] = b.listing.readItem(document["object"])
		}
		if err == nil {
			b.left, err = json.Marshal(document)
		}
	}
	n = copy(into, b.left)
	b.left = b.left[n:]
	return n, err
}

// readItem returns an object as it is, or its metadata if it does not decode.
func (l *listing) readItem(item json.RawMessage) json.RawMessage {
	decode := func(value any) error {
		text, err := json.Marshal(value)
		return errors.Join(err, utiljson.Unmarshal(text, l.newObject()))
	}
	var object map[string]any
	err := utiljson.Unmarshal(item, l.newObject())
	if err == nil || utiljson.Unmarshal(item, &object) != nil {
		return item
	}
	metadata, _ := object["metadata"].(map[string]any)
	reason := explainDecoding(err, findField(object, decode))
	l.of.logger.Error("an object does not decode and is set aside: mend or delete it", "kind", l.kind.Kind, "namespace", metadata["namespace"], "name", metadata["name"], "why", reason)
	entries, _ := metadata["managedFields"].([]any)
	metadata["managedFields"] = append(entries, map[string]any{"manager": reason, "operation": string(managedfields.Unreadable)})
	bare, err := json.Marshal(map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": metadata})
	if err != nil {
		return item
	}
	return bare
}

// findField returns the path of the innermost field that alone keeps a value from being decoded; empty if none does.
func findField(value any, decode func(any) error) string {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			inField := func(inner any) error { return decode(map[string]any{key: inner}) }
			if inField(value[key]) != nil {
				return "." + key + findField(value[key], inField)
			}
		}
	case []any:
		for i, item := range value {
			inItem := func(inner any) error { return decode([]any{inner}) }
			if inItem(item) != nil {
				return fmt.Sprintf("[%d]%s", i, findField(item, inItem))
			}
		}
	}
	return ""
}

// explainDecoding says why an object does not decode, without the value of the field.
func explainDecoding(err error, path string) string {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		value, _, _ := strings.Cut(mismatch.Value, " ") // a number comes with its digits
		return fmt.Sprintf("%s has a value of JSON type %s, which the operator's Go type %s cannot hold", path, value, mismatch.Type)
	}
	return path + " is not what the operator's Go type can hold"
}
