package status

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStatusPatch(t *testing.T) {
	type condition struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	}
	type status struct {
		Phase      string      `json:"phase,omitempty"`
		Count      int         `json:"count,omitempty"`
		Names      []string    `json:"a/b,omitempty"`
		Conditions []condition `json:"conditions,omitempty"`
	}
	have := func(conditions ...condition) status { return status{Phase: "A", Conditions: conditions} }
	const exact = `{"op":"test","path":"/metadata/resourceVersion","value":"7"},`
	for _, test := range []struct {
		name          string
		before, after status
		want          string // after the test of the UID
	}{
		{"no change", status{Phase: "A"}, status{Phase: "A"}, ""},
		{"nil and empty mean the same", status{Phase: "A"}, status{Phase: "A", Names: []string{}}, ""},
		{"the first status", status{}, status{Phase: "A"}, exact + `{"op":"add","path":"/status","value":{"phase":"A"}}`},
		{"a field changes", status{Phase: "A", Count: 1}, status{Phase: "B", Count: 1}, `{"op":"add","path":"/status/phase","value":"B"}`},
		{"a field goes", status{Phase: "A", Count: 1}, status{Phase: "A"}, `{"op":"remove","path":"/status/count"}`},
		{"a name with a slash", status{Phase: "A"}, status{Phase: "A", Names: []string{"x"}}, `{"op":"add","path":"/status/a~1b","value":["x"]}`},
		{"the first conditions", have(), have(condition{"A", "1"}), exact + `{"op":"add","path":"/status/conditions","value":[{"type":"A","status":"1"}]}`},
		{"conditions that change, go and come", have(condition{"A", "1"}, condition{"B", "1"}, condition{"C", "1"}, condition{"D", "1"}),
			have(condition{"B", "1"}, condition{"D", "2"}, condition{"E", "1"}), `{"op":"test","path":"/status/conditions/3/type","value":"D"},` +
				`{"op":"replace","path":"/status/conditions/3","value":{"type":"D","status":"2"}},` +
				`{"op":"test","path":"/status/conditions/2/type","value":"C"},{"op":"remove","path":"/status/conditions/2"},` +
				`{"op":"test","path":"/status/conditions/0/type","value":"A"},{"op":"remove","path":"/status/conditions/0"},` +
				`{"op":"add","path":"/status/conditions/-","value":{"type":"E","status":"1"}}`},
		{"conditions that change places", have(condition{"A", "1"}, condition{"B", "1"}), have(condition{"B", "1"}, condition{"A", "1"}),
			exact + `{"op":"add","path":"/status/conditions","value":[{"type":"B","status":"1"},{"type":"A","status":"1"}]}`},
		{"the last condition goes", have(condition{"A", "1"}), have(), exact + `{"op":"remove","path":"/status/conditions"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			difference, err := compareStatuses(&test.before, &test.after)
			if err != nil {
				t.Fatal(err)
			}
			got, err := difference.changes(nil).patch(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "1", ResourceVersion: "7"}})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimSuffix(`[{"op":"test","path":"/metadata/uid","value":"1"},`+test.want, ",") + "]"
			if string(got) != want {
				t.Errorf("patch is %s\nwant %s", got, want)
			}
		})
	}
}

// TestZeroStatusIsNotWritten shows that fields that are written although they are zero do not make a first status.
func TestZeroStatusIsNotWritten(t *testing.T) {
	type status struct {
		Phase string `json:"phase"`
	}
	difference, err := compareStatuses(&status{}, &status{})
	if err != nil {
		t.Fatal(err)
	}
	if steps := difference.changes(nil).steps; len(steps) > 0 {
		t.Errorf("changes are %v", steps)
	}
}

func TestIsTypedList(t *testing.T) {
	for _, list := range []string{"", "null", "{}", `["a"]`, `[{"Type":"A"}]`, `[{"type":1}]`, `[{"type":"A"},{"type":"A"}]`, `[null]`} {
		if isTypedList(json.RawMessage(list)) {
			t.Errorf("%s passes for such a list", list)
		}
	}
}
