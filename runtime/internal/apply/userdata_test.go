package apply

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Users' data goes with these objects. An object of somebody else is not the author's to delete.
func TestNoMessageAdvisesToDeleteUserData(t *testing.T) {
	fields := []refusedField{{name: "spec", message: "spec is immutable"}}
	for kind, recreates := range map[schema.GroupKind]bool{
		{Kind: "PersistentVolumeClaim"}: false,
		{Kind: "Namespace"}:             false,
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: false,
		{Kind: "Service"}: true,
	} {
		message := newErrImmutable(nil, Desired{Kind: kind.WithVersion("v1")}, fields).Error()
		if strings.Contains(message, "ecreate") != recreates {
			t.Errorf("%s: %s", kind, message)
		}
	}
	for generated, recreates := range map[int]bool{0: true, 1: false} { // a Secret with a generated value cannot be recreated
		desired := Desired{Kind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Generate: make([]declared.GeneratedKey, generated)}
		if message := newErrImmutable(nil, desired, fields).Error(); strings.Contains(message, "ecreate") != recreates {
			t.Errorf("with %d generated values: %s", generated, message)
		}
	}
	key := Key{schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}, types.NamespacedName{Namespace: "shop", Name: "data"}}
	copied := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: new(metav1.Now())}}
	if message := (ErrNameConflict{Key: key, CopiedBy: "kubectl", Object: copied}).Error(); strings.Contains(message, "another name") || !strings.Contains(message, "is being deleted") {
		t.Error(message)
	}
	for _, holder := range []string{"", "Shop tea"} {
		if message := (ErrNameConflict{Key: key, Holder: holder, Object: new(corev1.PersistentVolumeClaim)}).Error(); strings.Contains(message, "delete") {
			t.Error(message)
		}
	}
}
