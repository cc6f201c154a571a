package related

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

func TestReaders(t *testing.T) {
	web, err := labels.Parse("app=web")
	if err != nil {
		t.Fatal(err)
	}
	everywhere := []string{AllNamespaces}
	queries := map[string]Query{
		"named":      {Names: []string{"settings", "more"}, Namespaces: []string{"a"}},
		"named-all":  {Names: []string{"settings"}, Namespaces: everywhere},
		"in-none":    {Names: []string{"settings"}, Namespaces: []string{""}},
		"labelled":   {Selector: web, Namespaces: []string{"a", "b"}},
		"everything": {Selector: labels.Everything(), Namespaces: everywhere},
		"nothing":    {Namespaces: everywhere},
		"nowhere":    {Names: []string{"settings"}},
	}
	index := NewIndex()
	for parent, query := range queries {
		index.Set(types.NamespacedName{Name: parent}, []Query{query})
	}
	for name, test := range map[string]struct {
		object corev1.ConfigMap
		expect []string
	}{
		"by name":               {configMap("a", "settings", ""), []string{"everything", "named", "named-all"}},
		"in another namespace":  {configMap("c", "settings", ""), []string{"everything", "named-all"}},
		"by label":              {configMap("b", "x", "web"), []string{"everything", "labelled"}},
		"by label elsewhere":    {configMap("c", "x", "web"), []string{"everything"}},
		"cluster-scoped":        {configMap("", "settings", ""), []string{"everything", "in-none", "named-all"}},
		"by name and label too": {configMap("a", "more", "web"), []string{"everything", "labelled", "named"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readersOf(index, &test.object); !slices.Equal(got, test.expect) {
				t.Errorf("read by %v, expected %v", got, test.expect)
			}
		})
	}
}

// An object that leaves one parent for another is known as that of the one whose value it has. What does
// not have the other fields and labels of a query is read by no parent.
func TestReadersByFields(t *testing.T) {
	gold, err := labels.Parse("tier=gold")
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{".data.owner", `.metadata.labels.example\.com/side`}
	from := func(owner, side string) Query {
		return Query{Selector: labels.Everything(), Fields: []Field{{paths[0], owner}, {paths[1], side}}, Namespaces: []string{"a"}}
	}
	queries := map[string]Query{"web": from("web", "left"), "db": from("db", "left"), "right": from("web", "right"), "unset": {Namespaces: []string{"a"}}}
	selected := from("web", "left")
	selected.Selector = gold
	queries["gold"] = selected
	index := NewIndex(paths...)
	for parent, query := range queries {
		index.Set(types.NamespacedName{Name: parent}, []Query{query})
	}
	owned := func(namespace, owner, side, tier string) *corev1.ConfigMap {
		labels := map[string]string{"example.com/side": side, "tier": tier}
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "x", Labels: labels}, Data: map[string]string{"owner": owner}}
	}
	for name, test := range map[string]struct {
		object *corev1.ConfigMap
		expect []string
	}{
		"one":                    {owned("a", "web", "left", ""), []string{"web"}},
		"another":                {owned("a", "db", "left", ""), []string{"db"}},
		"another second field":   {owned("a", "web", "right", "gold"), []string{"right"}},
		"nobody":                 {owned("a", "none", "left", ""), nil},
		"not set":                {owned("a", "", "left", ""), nil},
		"a second field not set": {owned("a", "web", "", ""), nil},
		"another namespace":      {owned("b", "web", "left", ""), nil},
		"a selector":             {owned("a", "web", "left", "gold"), []string{"gold", "web"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readersOf(index, test.object); !slices.Equal(got, test.expect) {
				t.Errorf("read by %v, expected %v", got, test.expect)
			}
			for parent, query := range queries {
				if query.Selects(test.object) != slices.Contains(test.expect, parent) {
					t.Errorf("the query of %s selects it: %v", parent, query.Selects(test.object))
				}
			}
		})
	}
	for parent := range queries {
		index.Set(types.NamespacedName{Name: parent}, nil)
	}
	if len(index.readers)+len(index.byParent) > 0 {
		t.Errorf("something is left of parents that are gone: %v", index)
	}
}

func TestAParentChangesWhatItReads(t *testing.T) {
	index, parent := NewIndex(), types.NamespacedName{Name: "web"}
	first, second := configMap("a", "first", ""), configMap("a", "second", "")
	index.Set(parent, []Query{{Names: []string{"first"}, Namespaces: []string{"a"}}})
	index.Set(parent, []Query{{Names: []string{"second"}, Namespaces: []string{"a"}}})
	if got := readersOf(index, &first); len(got) > 0 {
		t.Errorf("the first is read by %v still", got)
	}
	if got := readersOf(index, &second); len(got) != 1 {
		t.Errorf("the second is read by %v", got)
	}
	index.Set(parent, []Query{{Selector: labels.Everything(), Namespaces: []string{"a"}}})
	if got := readersOf(index, &first); len(got) != 1 {
		t.Errorf("the first is read by %v", got)
	}
	index.Set(parent, nil)
	if len(index.readers)+len(index.byParent) > 0 {
		t.Errorf("something is left of a parent that is gone: %v", index)
	}
}

// The index finds the readers that asking every query finds.
func TestReadersAreThoseWhoseQueriesMatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	for range 300 {
		index, queries := NewIndex(), map[string]Query{}
		for i := range 30 {
			query := Query{Namespaces: []string{pick("a", "b", "", AllNamespaces), pick("a", "c")}}
			if random.IntN(3) == 0 {
				query.Names = []string{pick("x", "y"), pick("y", "z")}
			} else {
				selector, err := labels.Parse(pick("", "app=web", "app!=web", "app", "!app", "app in (web,db)", "app notin (web)", "tier>1,app=db", "app=web,tier=2"))
				if err != nil {
					t.Fatal(err)
				}
				query.Selector = selector
			}
			queries[fmt.Sprint(i)] = query
			index.Set(types.NamespacedName{Name: fmt.Sprint(i)}, []Query{query})
		}
		for range 20 {
			object := configMap(pick("a", "b", "c", ""), pick("x", "y", "z"), pick("", "web", "db"))
			if random.IntN(2) == 0 {
				object.Labels = labels.Merge(object.Labels, map[string]string{"tier": pick("1", "2")})
			}
			var expect []string
			for parent, query := range queries {
				if query.Selects(&object) {
					expect = append(expect, parent)
				}
			}
			slices.Sort(expect)
			if got := readersOf(index, &object); !slices.Equal(got, expect) {
				t.Fatalf("%s/%s with %v is read by %v, expected %v", object.Namespace, object.Name, object.Labels, got, expect)
			}
		}
		for parent := range queries {
			index.Set(types.NamespacedName{Name: parent}, nil)
		}
		if len(index.readers)+len(index.byParent) > 0 {
			t.Fatalf("something is left of parents that are gone: %v", index)
		}
	}
}

// BenchmarkReaders finds the reader of an object while a parent in each of many namespaces reads
// objects of its own namespace with a fixed selector.
func BenchmarkReaders(b *testing.B) {
	for _, namespaces := range []int{10_000, 100_000} {
		index, web := NewIndex(), labels.SelectorFromSet(labels.Set{"app": "web"})
		for i := range namespaces {
			namespace := fmt.Sprint("tenant-", i)
			index.Set(types.NamespacedName{Namespace: namespace, Name: "web"}, []Query{{Selector: web, Namespaces: []string{namespace}}})
		}
		object := configMap("tenant-7", "x", "web")
		b.Run(fmt.Sprint(namespaces), func(b *testing.B) {
			for b.Loop() {
				if found := index.Readers(&object); len(found) != 1 {
					b.Fatal(found)
				}
			}
		})
	}
}

func readersOf(index *Index, object *corev1.ConfigMap) []string {
	var names []string
	for _, parent := range index.Readers(object) {
		names = append(names, parent.Name)
	}
	slices.Sort(names)
	return names
}

func configMap(namespace, name, app string) corev1.ConfigMap {
	object := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if app != "" {
		object.Labels = map[string]string{"app": app}
	}
	return object
}

// A comma is a character of a name that somebody mistypes, not the end of one.
func TestQueriesOfOtherNamesDiffer(t *testing.T) {
	index, parent := NewIndex(), types.NamespacedName{Name: "parent"}
	index.Set(parent, []Query{{Names: []string{"a,b"}, Namespaces: []string{""}}})
	index.Set(parent, []Query{{Names: []string{"a", "b"}, Namespaces: []string{""}}})
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	if found := index.Readers(object); len(found) != 1 {
		t.Errorf("%d parents read a", len(found))
	}
}
