package operator_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestFixedEntriesWatchWhatTheySelect(t *testing.T) {
	const name = "of-a-fixed-entry"
	w := startWatching(t, nil,
		operator.RelatedKind{Object: &corev1.ConfigMap{}, Name: name},
		operator.RelatedKind{Object: &corev1.ConfigMap{}, Name: name, Namespaces: []string{operator.AllNamespaces}},
		operator.RelatedKind{Object: &corev1.ConfigMap{}, Name: name, Metadata: true},
		operator.RelatedKind{Object: &corev1.ConfigMap{}, Selector: "app=" + name},
	)
	w.site("web")
	w.opens(name, "app="+name, name+"metadata")
	w.Settled()
	if gets := w.gets(); gets > 0 {
		t.Errorf("%d objects were read live", gets)
	}
}

func TestNamesOfParentsHaveAWatchEach(t *testing.T) {
	w := startWatching(t, nil, byNames)
	first, second := w.siteOf("first", "a"), w.siteOf("second", "a,b")
	w.Create(configMap("a", "1"), configMap("b", "2"))
	w.phase(first, "a=1;")
	w.phase(second, "a=1;b=2;")
	w.opens("a", "b")

	w.touch(second, "b")
	w.phase(second, "b=2;")
	w.opens("a", "b") // the first reads a still
	w.touch(first, "b")
	w.phase(first, "b=2;")
	w.opens("b")
	before := w.gets()
	b := configMap("b", "")
	w.Get(b)
	w.Update(b, func() { b.Data["key"] = "3" })
	w.phase(first, "b=3;")
	w.phase(second, "b=3;")
	w.Delete(b)
	w.phase(first, "")
	w.Create(configMap("b", "4"))
	w.phase(first, "b=4;")
	w.Settled()
	if more := w.gets() - before; more > 0 {
		t.Errorf("%d live reads of what a watch shows", more)
	}
	w.Delete(first, second)
	w.Gone(first, second)
	w.opens()
}

func TestManyNamesShareOneWatchOfMetadata(t *testing.T) {
	w := startWatching(t, nil, byNames)
	w.Create(configMap("n0", "1"), configMap("n49", "2"), configMap("m", "3"))
	site, last := w.siteOf("web", names("n", 50)), w.siteOf("last", "n0")
	w.phase(site, "n0=1;n49=2;")
	w.opens(strings.Split(names("n", 50), ",")...)

	w.touch(last, "m") // the 51st
	w.phase(last, "m=3;")
	w.opens("metadata")
	w.Settled()

	// Each version is read once, whoever reads it, and nothing that did not change.
	before := w.gets()
	n0 := configMap("n0", "")
	w.Get(n0)
	w.touch(last, "n0,m")
	w.phase(last, "m=3;n0=1;")
	w.Update(n0, func() { n0.Data["key"] = "4" })
	w.phase(site, "n0=4;n49=2;")
	w.phase(last, "m=3;n0=4;")
	w.Settled()
	if more := w.gets() - before; more != 1 {
		t.Errorf("one more version cost %d live reads", more)
	}
	w.Delete(n0)
	w.phase(site, "n49=2;")
	w.Create(configMap("n0", "5"))
	w.phase(site, "n0=5;n49=2;")
	w.phase(last, "m=3;n0=5;")

	// It stays so until the process ends.
	w.touch(site, "n0")
	w.phase(site, "n0=5;")
	w.opens("metadata")
	w.Restart()
	w.opens("m", "n0")
	w.phase(site, "n0=5;")
}

// A start reads each object once, and opens no watch that it closes again.
func TestAStartWithManyNamesCostsOneReadForEach(t *testing.T) {
	const parents = 60
	w := startWatching(t, nil, operator.RelatedKind{Object: &corev1.ConfigMap{}, NameFrom: ".spec.text"})
	w.Stop()
	sites := make([]*testapi.Site, parents)
	for i := range sites {
		name := fmt.Sprint("s", i)
		w.Create(configMap(name, name))
		sites[i] = w.siteOf(name, name)
	}
	w.Restart()
	for i, site := range sites {
		w.phase(site, fmt.Sprintf("s%d=s%d;", i, i))
	}
	w.opens("metadata")
	w.Settled()
	if gets := w.gets(); gets != parents {
		t.Errorf("%d parents cost %d live reads", parents, gets)
	}
	if lists := w.watches.count(); lists > 3 { // a list, a watch and, where the API server streams none, an attempt
		t.Errorf("%d lists and watches began", lists)
	}
	started, lists := w.gets(), w.watches.count()
	w.Reconciled(sites[0], sites[parents-1])
	w.Settled()
	if w.gets() > started || w.watches.count() > lists {
		t.Error("an idle operator makes requests")
	}
}

func TestChangesBetweenAReadAndItsWatchAreSeen(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*watching, *corev1.ConfigMap) string{
		"changed": func(w *watching, object *corev1.ConfigMap) string {
			w.Update(object, func() { object.Data["key"] = "2" })
			return "a=2;"
		},
		"deleted": func(w *watching, object *corev1.ConfigMap) string {
			w.Delete(object)
			return ""
		},
		"recreated": func(w *watching, object *corev1.ConfigMap) string {
			w.Delete(object)
			w.Create(configMap("a", "3"))
			return "a=3;"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWatching(t, nil, byNames)
			object := configMap("a", "1")
			w.Create(object)
			site := w.siteOf("web", "a")
			w.phase(site, "a=1;")
			if open := w.watches.list(); len(open) > 0 {
				t.Skipf("the watch was faster: %q", open)
			}
			expected := change(w, object)
			w.phase(site, expected)
			w.opens("a")
		})
	}
}

func TestSelectorsOfParentsReadWhatTheySelect(t *testing.T) {
	w := startWatching(t, nil, operator.RelatedKind{Object: &corev1.ConfigMap{}, SelectorFrom: ".metadata.annotations"})
	w.opens("metadata")
	object, other := configMap("a", "1"), configMap("b", "2")
	object.Labels = map[string]string{"tier": "gold"}
	site := site("web")
	site.Labels, site.Annotations = map[string]string{w.group: ""}, map[string]string{"tier": "gold"}
	w.Create(object, other, site)
	w.phase(site, "a=1;")
	w.Update(other, func() { metav1.SetMetaDataLabel(&other.ObjectMeta, "tier", "gold") })
	w.phase(site, "a=1;b=2;")
	w.Update(object, func() { delete(object.Labels, "tier") })
	w.phase(site, "b=2;")
	w.Settled()
	if gets := w.gets(); gets != 2 {
		t.Errorf("two selected versions cost %d live reads", gets)
	}
}

func TestNamesInAllNamespaces(t *testing.T) {
	w := startWatching(t, nil, operator.RelatedKind{Object: &corev1.ConfigMap{}, NameFrom: ".spec.text", Namespaces: []string{operator.AllNamespaces}})
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-other"}}
	w.Create(other)
	name := w.Namespace // no other test's
	site, elsewhere := w.siteOf("web", name), configMap(name, "2")
	elsewhere.Namespace = other.Name
	w.Create(configMap(name, "1"), elsewhere)
	w.phase(site, name+"=1;"+name+"=2;")
	w.Delete(elsewhere)
	w.phase(site, name+"=1;")
}

func TestAccessGetNeedsNames(t *testing.T) {
	w := startWatching(t, nil, operator.RelatedKind{Object: &corev1.ConfigMap{}, NameFrom: ".spec.text", Namespaces: []string{operator.AllNamespaces}, Access: operator.AccessGet})
	site := w.siteOf("web", "a")
	w.says(site, "related objects of kind ConfigMap are read in the namespaces that the selection lists, since the entry has access: get, and it lists none")
}

// A selection by labels needs the watch of metadata, also where names had watches before.
func TestDynamicSelectorsReadWhatTheySelect(t *testing.T) {
	w := startWatching(t, nil, byNames)
	object := configMap("b", "2")
	object.Labels = map[string]string{"of": w.Namespace}
	w.Create(configMap("a", "1"), object)
	site := w.siteOf("web", "a")
	w.phase(site, "a=1;")
	w.opens("a")
	w.touch(site, "of="+w.Namespace)
	w.phase(site, "b=2;")
	w.opens("metadata")
	w.Update(object, func() { object.Data["key"] = "3" })
	w.phase(site, "b=3;")
	w.Update(object, func() { object.Labels = nil })
	w.phase(site, "")
}
