package operator

import (
	"encoding/json"
	"maps"
	"testing"
)

func TestWhatIsLostOfAStatus(t *testing.T) {
	for _, test := range []struct {
		name                string
		kept, was, is, left string // left: what is to be written while the lost parts are held back
	}{
		{"never written", ``, `{"a":"theirs"}`, `{"a":"ours"}`, `{"a":"ours"}`},
		{"a field", `{"a":1,"b":2}`, `{"a":7,"b":2}`, `{"a":1,"b":2}`, `{"a":7,"b":2}`},
		{"a field that goes", `{"a":1}`, `{}`, `{"a":1}`, `{}`},
		{"a field that comes", `{}`, `{"a":7}`, `{}`, `{"a":7}`},
		{"another wish", `{"a":1}`, `{"a":7}`, `{"a":2}`, `{"a":2}`},
		{"another wish beside", `{"a":1,"b":2}`, `{"a":7,"b":2}`, `{"a":1,"b":3,"c":4}`, `{"a":7,"b":3,"c":4}`},
		{"nothing kept, as where the CRD does not know it", `{}`, `{}`, `{"a":1}`, `{"a":1}`},
		{"everything", `{"a":1,"l":[{"type":"A"}]}`, `{}`, `{"a":1,"l":[{"type":"A"}]}`, `{}`},
		{"an item, and another wish beside",
			`{"l":[{"type":"A","v":1},{"type":"B","v":1}]}`, `{"l":[{"type":"X"},{"type":"A","v":7},{"type":"B","v":1}]}`,
			`{"l":[{"type":"X"},{"type":"A","v":1},{"type":"B","v":2},{"type":"C"}]}`, `{"l":[{"type":"X"},{"type":"A","v":7},{"type":"B","v":2},{"type":"C"}]}`},
		{"an item that goes, and one that comes", `{"l":[{"type":"A"},{"type":"B"}]}`, `{"l":[{"type":"A"},{"type":"C"}]}`,
			`{"l":[{"type":"A"},{"type":"B"}]}`, `{"l":[{"type":"A"},{"type":"C"}]}`},
		{"an item lost, and one that is wanted no more", `{"l":[{"type":"A"},{"type":"B"}]}`, `{"l":[{"type":"B"}]}`, `{"l":[{"type":"A"}]}`, `{"l":[]}`},
		{"the time of a condition", `{"l":[{"type":"A","v":1,"lastTransitionTime":1}]}`, `{"l":[{"type":"A","v":7,"lastTransitionTime":2}]}`,
			`{"l":[{"type":"A","v":1,"lastTransitionTime":3}]}`, `{"l":[{"type":"A","v":7,"lastTransitionTime":2}]}`},
		{"items that have no types any more", `{"l":[{"type":"A"}]}`, `{"l":[{"type":"A"},{"type":"A"}]}`, `{"l":[{"type":"A"}]}`, `{"l":[{"type":"A"},{"type":"A"}]}`},
		{"an empty list", `{"l":[]}`, `{}`, `{"l":[]}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var memory statusContest
			if test.kept != "" {
				memory.keep(partsOf(parsed(t, test.kept)), nil)
			}
			s := statuses{was: parsed(t, test.was), is: parsed(t, test.is)}
			lost := memory.lost(s)
			s.only(lost)
			s.leave(lost)
			got, err := json.Marshal(s.is)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.left {
				t.Errorf("written is %s\nwant       %s", got, test.left)
			}
			memory.wrote(s, s.is, lost)
			if again := memory.lost(statuses{was: s.is, is: parsed(t, test.is)}); !maps.Equal(again, lost) {
				t.Errorf("lost are %v, and %v in the next pass", lost, again)
			}
		})
	}
}

// What somebody else changes while our write is under way is lost, too.
func TestWhatIsLostOfAStatusMeanwhile(t *testing.T) {
	wanted := `{"a":1,"b":2,"l":[{"type":"A"}]}`
	var memory statusContest
	memory.keep(partsOf(parsed(t, wanted)), nil)
	s := statuses{was: parsed(t, `{"a":7,"b":2,"l":[{"type":"A"}]}`), is: parsed(t, wanted)}
	lost := memory.lost(s)
	answer := `{"a":1,"b":7,"c":7,"l":[{"type":"B"}]}`
	memory.wrote(s, parsed(t, answer), lost)
	lost = memory.lost(statuses{was: parsed(t, answer), is: parsed(t, wanted)})
	if want := map[part]bool{{"b", ""}: true, {"c", ""}: true, {"l", "A"}: true, {"l", "B"}: true}; !maps.Equal(lost, want) {
		t.Errorf("lost are %v, want %v", lost, want)
	}
}

func parsed(t *testing.T, text string) (fields map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
