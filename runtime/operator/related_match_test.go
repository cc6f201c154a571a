package operator_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// owned returns a ConfigMap that names its owner in a field.
func owned(name, owner, value string) *corev1.ConfigMap {
	object := configMap(name, value)
	object.Data["owner"] = owner
	return object
}

func TestObjectsThatNameTheParentWakeItAlone(t *testing.T) {
	entry := operator.RelatedKind{Object: &corev1.ConfigMap{}, Match: map[string]string{".data.owner": ".spec.text"}}
	w := startWatching(t, nil, entry, entry) // entries share the index
	first, second, other := w.siteOf("first", "a"), w.siteOf("second", "b"), w.siteOf("other", "c")
	elsewhere := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace + "-other"}}
	w.Create(elsewhere)
	stranger := owned("x", "b", "stranger") // of another namespace
	stranger.Namespace = elsewhere.Name
	w.Create(stranger, owned("unrelated", "none", "x"), configMap("unset", "x"))
	w.phase(other, "")
	w.Settled()
	before := w.of("other")

	object := owned("x", "a", "1")
	w.Create(object)
	w.phase(first, "x=1;")
	w.Settled()
	untouched := w.of("second")
	w.Update(object, func() { object.Data["key"] = "2" })
	w.phase(first, "x=2;")
	w.Settled()
	if again := w.of("second"); again != untouched {
		t.Errorf("%d reconciles of a parent that the object does not name", again-untouched)
	}
	w.Update(object, func() { object.Data["owner"] = "b" }) // wakes both
	w.phase(first, "")
	w.phase(second, "x=2;")
	w.Update(object, func() { delete(object.Data, "owner") })
	w.phase(second, "")
	w.Update(object, func() { object.Data["owner"] = "b" })
	w.phase(second, "x=2;")
	if after := w.of("other"); after != before {
		t.Errorf("%d reconciles of a parent that nothing names", after-before)
	}

	// What is selected follows the parent's own field, also over a restart.
	w.touch(second, "a")
	w.phase(second, "")
	w.Stop()
	w.Update(object, func() { object.Data["owner"] = "a" })
	w.Restart()
	w.phase(first, "x=2;")
	w.phase(second, "x=2;")
	w.touch(second, "") // no value selects nothing
	w.phase(second, "")
	w.Delete(object)
	w.phase(first, "")
	w.Settled()
	if gets := w.gets(); gets > 0 {
		t.Errorf("%d objects were read live", gets)
	}
	w.opens("") // of the kind
}

func TestObjectsWithTheLabelOfTheParent(t *testing.T) {
	const app = "of-a-match"
	w := startWatching(t, nil, operator.RelatedKind{
		Object: &corev1.ConfigMap{}, Selector: "app=" + app, Match: map[string]string{`.metadata.labels.app\.kubernetes\.io/instance`: ".metadata.name"},
	})
	web, db := w.site("web"), w.site("db")
	labelled := func(name, instance string) *corev1.ConfigMap {
		object := configMap(name, "1")
		object.Labels = map[string]string{"app": app, "app.kubernetes.io/instance": instance}
		return object
	}
	object, unlabelled := labelled("x", "web"), labelled("y", "web")
	delete(unlabelled.Labels, "app")
	w.Create(object, unlabelled)
	w.phase(web, "x=1;")
	w.opens("app=" + app)

	// A stranger writes labels.
	w.Update(object, func() { object.Labels["app.kubernetes.io/instance"] = "db" })
	w.phase(web, "")
	w.phase(db, "x=1;")
	w.Update(object, func() { delete(object.Labels, "app") })
	w.phase(db, "")
	w.Update(unlabelled, func() { unlabelled.Labels["app"] = app })
	w.phase(web, "y=1;")
}

func TestMatchingObjectsOfListedNamespaces(t *testing.T) {
	w := startWatching(t, nil, operator.RelatedKind{
		Object: &corev1.ConfigMap{}, Namespaces: []string{"default", "kube-public"},
		Match: map[string]string{".data.owner": ".spec.text", ".data.namespace": ".metadata.namespace"},
	})
	site, twin := w.siteOf("web", "of-"+w.Namespace), owned("x", "", "here")
	var both []*corev1.ConfigMap
	for i, namespace := range []string{"default", "kube-public", "kube-public"} {
		object := owned(fmt.Sprint(w.Namespace, i), site.Spec.Text, fmt.Sprint(i))
		object.Namespace, object.Data["namespace"] = namespace, w.Namespace
		both = append(both, object)
	}
	both[2].Data["namespace"] = "another"
	twin.Data["owner"], twin.Data["namespace"] = site.Spec.Text, w.Namespace // in the parent's own
	w.Create(twin, both[0], both[1], both[2])
	w.phase(site, fmt.Sprintf("%s=0;%s=1;", both[0].Name, both[1].Name))
	w.Update(both[1], func() { both[1].Data["namespace"] = "another" })
	w.phase(site, both[0].Name+"=0;")
	w.opens("", "") // one of each namespace
	w.Delete(both[0], both[1], both[2])
}
