package reconcile

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func TestOnlyParentsAreCachedWithTheirContent(t *testing.T) {
	selector, err := newParentSelector(declared.ParentKind{Labels: "app", Annotations: "!plain"})
	if err != nil {
		t.Fatal(err)
	}
	mine, err := newShard("tier=web")
	if err != nil {
		t.Fatal(err)
	}
	l := &loop{selector: selector, shard: mine, finalizer: "example.com/finalizer"}
	app := map[string]string{"app": "", "tier": "web"}
	for name, test := range map[string]struct {
		given   metav1.ObjectMeta
		isWhole bool
	}{
		"a parent":                                 {metav1.ObjectMeta{Labels: app}, true},
		"one without the label":                    {metav1.ObjectMeta{Labels: map[string]string{"tier": "web"}}, false},
		"one that an annotation excludes":          {metav1.ObjectMeta{Labels: app, Annotations: map[string]string{"plain": ""}}, false},
		"one of another shard":                     {metav1.ObjectMeta{Labels: map[string]string{"app": ""}}, false},
		"one that was a parent and is to finalize": {metav1.ObjectMeta{Finalizers: []string{l.finalizer}}, true},
		"one with somebody else's finalizer":       {metav1.ObjectMeta{Finalizers: []string{"example.com/other"}}, false},
		"one that is being deleted, and no parent": {metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}}, false},
		"a parent that is being deleted, unmarked": {metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}, Labels: app}, true},
	} {
		test.given.Name, test.given.UID, test.given.ResourceVersion = "web", "1", "7"
		keep := func(object any) (any, error) { return object, nil }
		cached, err := l.dropContentOfOthers(keep)(&corev1.ConfigMap{ObjectMeta: test.given, Data: map[string]string{"a": "b"}})
		if err != nil {
			t.Fatal(err)
		}
		got := cached.(*corev1.ConfigMap)
		if isWhole := len(got.Data) > 0; isWhole != test.isWhole {
			t.Errorf("%s: has its content: %v", name, isWhole)
		}
		if got.Name != "web" || got.UID != "1" || got.ResourceVersion != "7" || len(got.Labels) != len(test.given.Labels) ||
			len(got.Annotations) != len(test.given.Annotations) || len(got.Finalizers) != len(test.given.Finalizers) {
			t.Errorf("%s: the metadata is %v", name, got.ObjectMeta)
		}
	}
}
