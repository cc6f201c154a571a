package apply

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// An index finds what comparing every item finds, for lists in which items leave out keys, repeat
// keys, or are no objects at all.
func TestIndexFindsWhatComparingFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...any) any { return values[random.IntN(len(values))] }
	for range 2000 {
		items := make([]any, random.IntN(40))
		for i := range items {
			item := map[string]any{}
			for name, value := range map[string]any{"port": pick(int64(80), int64(81), "80", nil), "protocol": pick("TCP", "UDP", "SCTP"), "name": pick("a", "<b>", "é", true, 1.5)} {
				if random.IntN(3) > 0 {
					item[name] = value
				}
			}
			if items[i] = any(item); random.IntN(10) == 0 {
				items[i] = pick("a", int64(1), nil, true)
			}
		}
		for _, step := range []string{
			`{"port":80,"protocol":"TCP"}`, `{"port":80,"protocol":"UDP"}`, `{"protocol":"SCTP"}`, `{"name":"<b>"}`, `{"name":"é","port":"80"}`,
			`{"name":1.5,"port":81,"protocol":"TCP"}`, `{"name":true}`, `{"other":"x"}`, `{"port":null}`, `{}`,
		} {
			keys, ok := parseListKeys(step)
			if !ok {
				continue
			}
			if expect, got := indexOfKeys(items, keys), new(itemIndex).ofKeys(items, keys); got != expect {
				t.Fatalf("%s: item %d in place of %d of %v", step, got, expect, items)
			}
		}
		for _, value := range append(items, "a", int64(1), map[string]any{"name": "a"}) {
			text, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if expect, got := indexOfValue(items, string(text)), new(itemIndex).ofValue(items, string(text)); got != expect {
				t.Fatalf("%s: item %d in place of %d of %v", text, got, expect, items)
			}
		}
	}
}

// One index serves steps of several kinds.
func TestPartsOfALongList(t *testing.T) {
	var items []any
	for i := range 2 * longList {
		items = append(items, map[string]any{"name": fmt.Sprint("n", i), "port": int64(i)})
	}
	items = append(items, "a")
	parts := partsOf(items)
	for step, expect := range map[string]int{`k:{"name":"n3"}`: 3, `k:{"port":20}`: 20, `k:{"name":"n3","port":3}`: 3, `k:{"name":"n3","port":4}`: -1, `v:"a"`: len(items) - 1, `v:"b"`: -1, "f:name": -1, "i:0": -1} {
		if at := parts.indexOf(step); at != expect {
			t.Errorf("%s: item %d in place of %d", step, at, expect)
		}
	}
	if _, ok := parts.follow("f:name"); ok {
		t.Error("a list has a field")
	}
}
