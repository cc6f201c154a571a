package managedfields

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func parseJSON(t testing.TB, text string) (value map[string]any) {
	t.Helper()
	if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// A walk enters the paths of a set in their order, with the values there, and leaves those below
// which there are paths.
func TestWalk(t *testing.T) {
	for _, test := range []struct {
		name, set, desired, live string
		steps                    []string
	}{
		{
			"fields", `{"f:a":{},"f:b":{".":{},"f:c.d":{},"f:e":{}}}`, `{"b":{"c.d":1}}`, `{"a":2,"b":{"e":3},"other":4}`,
			[]string{"a <nil> 2", `b map[c.d:1] map[e:3]`, `b["c.d"] 1 <nil>`, "b.e <nil> 3", "leave b, which has all", "leave , which has all"},
		}, {
			"a missing field, and one of no set", `{"f:a":{"f:b":{}}}`, `{"a":{"b":1,"c":2},"d":3}`, `{"a":{"b":1}}`,
			[]string{"a map[b:1 c:2] map[b:1]", "a.b 1 1", "leave a, which lacks [a.c]", "leave , which lacks [d]"},
		}, {
			"an object in place of a value", `{"f:a":{"f:b":{}}}`, `{"a":1}`, `{"a":{"b":1}}`,
			[]string{"a 1 map[b:1]", "a.b <nil> 1", "leave a, which lacks [a]", "leave , which has all"},
		}, {
			"items, one of which leaves out a key", `{"f:p":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}},"k:{\"port\":80,\"protocol\":\"UDP\"}":{}}}`,
			`{"p":[{"port":80,"name":"n"}]}`, `{"p":[{"port":80,"protocol":"UDP"},{"port":80,"protocol":"TCP","name":"m"}]}`,
			[]string{
				"p [map[name:n port:80]] [map[port:80 protocol:UDP] map[name:m port:80 protocol:TCP]]",
				"p[port=80,protocol=TCP] map[name:n port:80] map[name:m port:80 protocol:TCP] at /p/1", "p[port=80,protocol=TCP].name n m",
				"leave p[port=80,protocol=TCP], which lacks [p[port=80,protocol=TCP].port]",
				"p[port=80,protocol=UDP] <nil> map[port:80 protocol:UDP] at /p/0", "leave p, which has all", "leave , which has all",
			},
		}, {
			"a missing item", `{"f:p":{"v:\"a\"":{}}}`, `{"p":["b","a"]}`, `{"p":["a"]}`,
			[]string{"p [b a] [a]", "p[a] a a at /p/0", "leave p, which lacks [p]", "leave , which has all"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var steps []string
			Rules{
				Enter: func(p *Node) bool {
					step := fmt.Sprintf("%s %v %v", p, p.Desired.Value, p.Live.Value)
					if p.IsItem() {
						step += " at " + p.Pointer()
					}
					steps = append(steps, step)
					return true
				},
				Leave: func(p *Node) {
					has := "has all"
					if missing := p.Missing(); len(missing) > 0 {
						has = fmt.Sprint("lacks ", missing)
					}
					steps = append(steps, fmt.Sprintf("leave %s, which %s", p, has))
				},
			}.Walk(Parse([]byte(test.set)), parseJSON(t, test.desired), parseJSON(t, test.live))
			if diff := cmp.Diff(test.steps, steps); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A walk ends where Enter says so, and gives the path in each form.
func TestWalkEndsWhereEnterSaysSo(t *testing.T) {
	var places []string
	enter := func(p *Node) bool {
		places = append(places, fmt.Sprint(p, " ", p.Pointer(), " ", p.Path()))
		return p.String() != "a.b"
	}
	Rules{Enter: enter}.Walk(Parse([]byte(`{"f:a":{"f:b":{"f:c":{}},"f:x/y":{}}}`)), nil, nil)
	want := []string{"a /a .a", "a.b /a/b .a.b", `a["x/y"] /a/x~1y .a.x/y`}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHas(t *testing.T) {
	set := Parse([]byte(`{"f:whole":{},"f:part":{"f:a":{}},"f:list":{".":{},"k:{\"name\":\"a\"}":{".":{}}}}`))
	for text, has := range map[string]bool{
		`{"f:whole":{"f:a":{}}}`: true, `{"f:part":{"f:a":{}}}`: true, `{"f:part":{}}`: true, `{"f:part":{"f:b":{}}}`: false,
		`{"f:list":{"k:{\"name\":\"a\"}":{"f:x":{}}}}`: true, `{"f:list":{"k:{\"name\":\"b\"}":{}}}`: false, `{"f:other":{}}`: false,
	} {
		for path := range Parse([]byte(text)).All() {
			if Has(set, path) != has {
				t.Errorf("%s: %v", path, !has)
			}
		}
	}
}

// A set that is no set has no paths.
func TestParseOfNoSet(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `"a"`, `{"f:a":{}} x`} {
		if set := Parse([]byte(text)); !set.Empty() {
			t.Errorf("%q is read as %v", text, set)
		}
	}
}

// FuzzWalk compares the places of a walk with the paths of the set.
func FuzzWalk(f *testing.F) {
	f.Add(`{"f:a":{".":{},"f:b":{}},"f:c":{"k:{\"name\":\"x\"}":{".":{},"f:d":{}},"v:1":{}}}`, `{"a":{"b":1},"c":[{"name":"x"},1]}`)
	f.Fuzz(func(t *testing.T, text, object string) {
		set, value := Parse([]byte(text)), map[string]any{}
		if utiljson.Unmarshal([]byte(object), &value) != nil {
			return
		}
		places := Parse(nil)
		Rules{Enter: func(p *Node) bool {
			if p.Below == nil || set.Has(p.Path()) {
				places.Insert(p.Path())
			}
			_ = p.String() + p.Pointer()
			return true
		}}.Walk(set, value, value)
		if !places.Equals(set) {
			t.Errorf("of\n%s\nthe walk visits\n%s", set, places)
		}
	})
}
