package status

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

func TestFindDrift(t *testing.T) {
	for _, test := range []struct {
		name                         string
		written, before, after, left string // left: what is written while repairs back off
	}{
		{"never written", ``, `{"a":"theirs"}`, `{"a":"ours"}`, `{"a":"ours"}`},
		{"a field", `{"a":1,"b":2}`, `{"a":7,"b":2}`, `{"a":1,"b":2}`, `{"a":7,"b":2}`},
		{"a field that goes", `{"a":1}`, `{}`, `{"a":1}`, `{}`},
		{"a field that comes", `{}`, `{"a":7}`, `{}`, `{"a":7}`},
		{"another desired value", `{"a":1}`, `{"a":7}`, `{"a":2}`, `{"a":2}`},
		{"another desired value beside", `{"a":1,"b":2}`, `{"a":7,"b":2}`, `{"a":1,"b":3,"c":4}`, `{"a":7,"b":3,"c":4}`},
		{"nothing written, as where the CRD does not know it", `{}`, `{}`, `{"a":1}`, `{"a":1}`},
		{"everything", `{"a":1,"l":[{"type":"A"}]}`, `{}`, `{"a":1,"l":[{"type":"A"}]}`, `{}`},
		{"an item, and another desired value beside",
			`{"l":[{"type":"A","v":1},{"type":"B","v":1}]}`, `{"l":[{"type":"X"},{"type":"A","v":7},{"type":"B","v":1}]}`,
			`{"l":[{"type":"X"},{"type":"A","v":1},{"type":"B","v":2},{"type":"C"}]}`, `{"l":[{"type":"X"},{"type":"A","v":7},{"type":"B","v":2},{"type":"C"}]}`},
		{"an item that goes, and one that comes", `{"l":[{"type":"A"},{"type":"B"}]}`, `{"l":[{"type":"A"},{"type":"C"}]}`,
			`{"l":[{"type":"A"},{"type":"B"}]}`, `{"l":[{"type":"A"},{"type":"C"}]}`},
		{"an item that drifted, and one that is undesired", `{"l":[{"type":"A"},{"type":"B"}]}`, `{"l":[{"type":"B"}]}`, `{"l":[{"type":"A"}]}`, `{"l":[]}`},
		{"the time of a condition", `{"l":[{"type":"A","v":1,"lastTransitionTime":1}]}`, `{"l":[{"type":"A","v":7,"lastTransitionTime":2}]}`,
			`{"l":[{"type":"A","v":1,"lastTransitionTime":3}]}`, `{"l":[{"type":"A","v":7,"lastTransitionTime":2}]}`},
		{"items that have no types any more", `{"l":[{"type":"A"}]}`, `{"l":[{"type":"A"},{"type":"A"}]}`, `{"l":[{"type":"A"}]}`, `{"l":[{"type":"A"},{"type":"A"}]}`},
		{"an empty list", `{"l":[]}`, `{}`, `{"l":[]}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var memory Memory
			if test.written != "" {
				memory.recordStatus(difference{isFirst: true}, parsed(t, test.written), nil)
			}
			d := difference{before: parsed(t, test.before), after: parsed(t, test.after)}
			drifted := memory.findDrift(d)
			d.selectParts(drifted)
			got := applied(t, test.before, d.changes(drifted).steps)
			if got != test.left {
				t.Errorf("written is %s\nwant       %s", got, test.left)
			}
			memory.recordStatus(d, parsed(t, got), drifted)
			again := memory.findDrift(difference{before: parsed(t, got), after: parsed(t, test.after)})
			for name := range drifted {
				if !again[name] {
					t.Errorf("drifted are %v, and %v in the next reconcile", drifted, again)
				}
			}
		})
	}
}

// What somebody else changes during our write is drift, too.
func TestFindDriftDuringAWrite(t *testing.T) {
	desired := `{"a":1,"b":2,"l":[{"type":"A"}]}`
	var memory Memory
	memory.recordStatus(difference{isFirst: true}, parsed(t, desired), nil)
	d := difference{before: parsed(t, `{"a":7,"b":2,"l":[{"type":"A"}]}`), after: parsed(t, desired)}
	drifted := memory.findDrift(d)
	answer := `{"a":1,"b":7,"c":7,"l":[{"type":"B"}]}`
	memory.recordStatus(d, parsed(t, answer), drifted)
	drifted = memory.findDrift(difference{before: parsed(t, answer), after: parsed(t, desired)})
	if want := map[part]bool{{"b", ""}: true, {"c", ""}: true, {"l", "A"}: true, {"l", "B"}: true}; !maps.Equal(drifted, want) {
		t.Errorf("drifted are %v, want %v", drifted, want)
	}
}

// applied returns a status after these steps, as far as changes makes them.
func applied(t *testing.T, status string, steps []jsonpatch.Operation) string {
	t.Helper()
	fields := parsed(t, status)
	for _, step := range steps {
		path := strings.Split(strings.TrimPrefix(step.Path, "/status/"), "/")
		var items []json.RawMessage
		if len(path) > 1 {
			if err := json.Unmarshal(fields[path[0]], &items); err != nil {
				t.Fatal(err)
			}
		}
		value, err := json.Marshal(step.Value)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case step.Op == "test":
			continue
		case len(path) == 1 && step.Op == "remove":
			delete(fields, path[0])
			continue
		case len(path) == 1:
			fields[path[0]] = value
			continue
		case path[1] == "-":
			items = append(items, value)
		default:
			i, err := strconv.Atoi(path[1])
			if err != nil {
				t.Fatal(err)
			}
			if items[i] = value; step.Op == "remove" {
				items = slices.Delete(items, i, i+1)
			}
		}
		if fields[path[0]], err = json.Marshal(items); err != nil {
			t.Fatal(err)
		}
	}
	after, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func parsed(t *testing.T, text string) (fields map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
