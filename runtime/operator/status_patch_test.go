package operator

import "testing"

func TestStatusPatch(t *testing.T) {
	type status struct {
		Phase string   `json:"phase,omitempty"`
		Count int      `json:"count,omitempty"`
		Names []string `json:"a/b,omitempty"`
	}
	for _, test := range []struct {
		name          string
		before, after status
		want          string
	}{
		{"no change", status{Phase: "A"}, status{Phase: "A"}, ""},
		{"nil and empty mean the same", status{Phase: "A"}, status{Phase: "A", Names: []string{}}, ""},
		{"the first status", status{}, status{Phase: "A"}, `[{"op":"test","path":"/metadata/uid","value":"1"},{"op":"add","path":"/status","value":{"phase":"A"}}]`},
		{"a field changes", status{Phase: "A", Count: 1}, status{Phase: "B", Count: 1}, `[{"op":"test","path":"/metadata/uid","value":"1"},{"op":"add","path":"/status/phase","value":"B"}]`},
		{"a field goes", status{Phase: "A", Count: 1}, status{Phase: "A"}, `[{"op":"test","path":"/metadata/uid","value":"1"},{"op":"remove","path":"/status/count"}]`},
		{"a name with a slash", status{Phase: "A"}, status{Phase: "A", Names: []string{"x"}}, `[{"op":"test","path":"/metadata/uid","value":"1"},{"op":"add","path":"/status/a~1b","value":["x"]}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := statusPatch("1", &test.before, &test.after)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("patch is %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestZeroStatusIsNotWritten shows that fields that are written although they are zero do not make a first status.
func TestZeroStatusIsNotWritten(t *testing.T) {
	type status struct {
		Phase string `json:"phase"`
	}
	got, err := statusPatch("1", &status{}, &status{})
	if err != nil {
		t.Fatal(err)
	}
	if got != nil {
		t.Errorf("patch is %s", got)
	}
}
