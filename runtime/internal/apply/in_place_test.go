package apply

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func TestPathsInPlace(t *testing.T) {
	for text, want := range map[string]bool{
		".metadata.labels": true, ".metadata.annotations": true, ".metadata.labels.role": true, `.metadata.annotations.example\.com/role`: true,
		".metadata": false, ".metadata.finalizers": false, ".metadata.labels.a.b": false, ".spec": false, "metadata.labels": false, "": false,
	} {
		if _, err := ParseInPlace([]string{text}); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The hash covers neither the values at the paths nor whether there are any.
func TestHashLeavesOutWhatIsAppliedInPlace(t *testing.T) {
	paths, err := ParseInPlace([]string{".metadata.labels.role", ".metadata.annotations"})
	if err != nil {
		t.Fatal(err)
	}
	hash := func(labels map[string]any, image string) string {
		metadata := map[string]any{"labels": labels}
		if len(labels) == 0 {
			delete(metadata, "labels")
		}
		d, err := NewDesired(Desired{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), InPlace: paths}, map[string]any{"metadata": metadata, "spec": map[string]any{"image": image}})
		if err != nil {
			t.Fatal(err)
		}
		return d.Hash
	}
	first := hash(map[string]any{"role": "primary"}, "a")
	for _, test := range []struct {
		labels map[string]any
		image  string
		same   bool
	}{
		{map[string]any{"role": "replica"}, "a", true},
		{nil, "a", true},
		{map[string]any{"role": "primary", "app": "web"}, "a", false},
		{map[string]any{"role": "primary"}, "b", false},
	} {
		if got := hash(test.labels, test.image); (got == first) != test.same {
			t.Errorf("%v, %s: the hash is the same: %v, want %v", test.labels, test.image, got == first, test.same)
		}
	}
}

func TestPatchInPlace(t *testing.T) {
	owned := func(manager, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: subresource, APIVersion: "v1",
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{` + fields + `}}}`),
		}
	}
	for name, test := range map[string]struct {
		live   map[string]string
		owners []metav1.ManagedFieldsEntry
		update declared.UpdateStrategy
		want   string
	}{
		"as desired":                       {live: map[string]string{"role": "primary"}, want: "map[]"},
		"another value":                    {live: map[string]string{"role": "replica"}, want: "map[labels:map[role:primary]]"},
		"none":                             {want: "map[labels:map[role:primary]]"},
		"one that is ours is dropped":      {live: map[string]string{"role": "primary", "old": "x"}, owners: []metav1.ManagedFieldsEntry{owned(manager, "", `"f:old":{}`)}, want: "map[labels:map[old:<nil>]]"},
		"one of others stays":              {live: map[string]string{"role": "primary", "old": "x"}, owners: []metav1.ManagedFieldsEntry{owned("other", "", `"f:old":{}`)}, want: "map[]"},
		"one that others own as well":      {live: map[string]string{"role": "primary", "old": "x"}, owners: []metav1.ManagedFieldsEntry{owned(manager, "", `"f:old":{}`), owned("other", "", `"f:old":{}`)}, want: "map[]"},
		"of a child that is never changed": {live: map[string]string{"role": "replica"}, update: declared.CreateOnly, want: "map[]"},
	} {
		t.Run(name, func(t *testing.T) {
			paths, err := ParseInPlace([]string{".metadata.labels"})
			if err != nil {
				t.Fatal(err)
			}
			d, err := NewDesired(Desired{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), InPlace: paths, Policies: declared.Policies{Update: test.update}},
				map[string]any{"metadata": map[string]any{"labels": map[string]any{"role": "primary"}}})
			if err != nil {
				t.Fatal(err)
			}
			live := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: test.live, ManagedFields: test.owners}}
			if got := fmt.Sprint(d.inPlacePatch(live, manager).texts); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
