package related

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPartHasWhatItsWatchShows(t *testing.T) {
	object := configMap("a", "settings", "web")
	for name, test := range map[string]struct {
		part Part
		want bool
	}{
		"all":                  {Part{}, true},
		"its name":             {Part{Name: "settings"}, true},
		"another name":         {Part{Name: "other"}, false},
		"its labels":           {Part{Labels: "app=web"}, true},
		"other labels":         {Part{Labels: "app!=web"}, false},
		"its namespace":        {Part{Namespaces: JoinNamespaces([]string{"b", "a", "b"})}, true},
		"other namespaces":     {Part{Namespaces: "b,c"}, false},
		"its name, not labels": {Part{Name: "settings", Labels: "app=db"}, false},
	} {
		if got := test.part.Has(&object); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAReducedObjectIsASmallOne(t *testing.T) {
	whole := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "settings", Namespace: "a", UID: "1", ResourceVersion: "2", Labels: map[string]string{"app": "web"},
		Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: "large"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		OwnerReferences: []metav1.OwnerReference{{Name: "owner"}}, Finalizers: []string{"f"},
	}}
	reduced, err := reduce(whole)
	if err != nil {
		t.Fatal(err)
	}
	got := reduced.(*metav1.PartialObjectMetadata)
	if got.Annotations != nil || got.ManagedFields != nil || got.OwnerReferences != nil || got.Finalizers != nil {
		t.Errorf("it holds %+v", got)
	}
	if versionOf(got) != "1/2" || got.Namespace != "a" || got.Name != "settings" || got.Labels["app"] != "web" {
		t.Errorf("it lacks what selects it: %+v", got)
	}
}
