package apply

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
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
		message := newErrImmutable(nil, kind, fields).Error()
		if strings.Contains(message, "ecreate") != recreates {
			t.Errorf("%s: %s", kind, message)
		}
	}
	key := Key{schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}, types.NamespacedName{Namespace: "shop", Name: "data"}}
	for _, holder := range []string{"", "Shop tea"} {
		if message := (ErrNameConflict{Key: key, Holder: holder, Object: new(corev1.PersistentVolumeClaim)}).Error(); strings.Contains(message, "delete") {
			t.Error(message)
		}
	}
}
