package managedfields

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// indexByComparing returns what an index finds, by comparing every item.
func indexByComparing(items []any, element fieldpath.PathElement) int {
	if element.Value != nil {
		return slices.IndexFunc(items, func(item any) bool { return isSameJSON(item, (*element.Value).Unstructured()) })
	}
	best, most := -1, 0
	for i, item := range items {
		object, _ := item.(map[string]any)
		n := 0
		for _, key := range *element.Key {
			value, ok := object[key.Name]
			expected := key.Value.Unstructured()
			if ok && !isSameJSON(value, expected) || !ok && key.Name == "protocol" && expected != "TCP" {
				n = 0
				break
			}
			if ok {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

func isSameJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// An index finds what comparing every item finds, for lists in which items leave out keys, repeat
// keys, or are no objects at all.
func TestIndexFindsWhatComparingFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...any) any { return values[random.IntN(len(values))] }
	for range 2000 {
		items := make([]any, 1+random.IntN(40))
		for i := range items {
			item := map[string]any{}
			for name, value := range map[string]any{"port": pick(int64(80), int64(81), "80"), "protocol": pick("TCP", "UDP", "SCTP"), "name": pick("a", "<b>", "é", true, 1.5)} {
				if random.IntN(3) > 0 {
					item[name] = value
				}
			}
			if items[i] = any(item); random.IntN(10) == 0 {
				items[i] = pick("a", int64(1), true)
			}
		}
		for _, text := range []string{
			`k:{"port":80,"protocol":"TCP"}`, `k:{"port":80,"protocol":"UDP"}`, `k:{"protocol":"SCTP"}`, `k:{"name":"<b>"}`, `k:{"name":"é","port":"80"}`,
			`k:{"name":1.5,"port":81,"protocol":"TCP"}`, `k:{"name":true}`, `k:{"other":"x"}`, `v:"a"`, `v:1`, `v:true`, `v:"x"`,
		} {
			element, err := fieldpath.DeserializePathElement(text)
			if err != nil {
				t.Fatal(err)
			}
			expect, found := indexByComparing(items, element), (&Value{Value: items}).Follow(element)
			if found.Exists != (expect >= 0) || found.Exists && found.Index != expect {
				t.Fatalf("%s: item %+v in place of %d of %v", text, found, expect, items)
			}
		}
	}
}

// One list serves elements of several kinds.
func TestValuesOfAList(t *testing.T) {
	var items []any
	for i := range 32 {
		items = append(items, map[string]any{"name": fmt.Sprint("n", i), "port": int64(i)})
	}
	list := Value{Value: append(items, "a")}
	for text, expect := range map[string]any{
		`k:{"name":"n3"}`: items[3], `k:{"port":20}`: items[20], `k:{"name":"n3","port":3}`: items[3], `k:{"name":"n3","port":4}`: nil,
		`v:"a"`: "a", `v:"b"`: nil, "f:name": nil, "i:0": nil,
	} {
		element, err := fieldpath.DeserializePathElement(text)
		if err != nil {
			t.Fatal(err)
		}
		if found := list.Follow(element); !reflect.DeepEqual(found.Value, expect) || found.Exists != (expect != nil) {
			t.Errorf("%s: %v in place of %v", text, found.Value, expect)
		}
	}
}
