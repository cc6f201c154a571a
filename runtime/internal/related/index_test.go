package related

import (
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
	if len(index.named)+len(index.queries)+len(index.byParent) > 0 {
		t.Errorf("something is left of a parent that is gone: %v", index)
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
