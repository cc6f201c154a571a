package reconcile

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// checkKept returns an error if children of a kind cannot keep what is desired of them in an annotation,
// which more people may read and write than the rest of such a child.
func (kind *childKind) checkKept() error {
	switch {
	case !kind.KeepDesired:
	case kind.GroupVersionKind == corev1.SchemeGroupVersion.WithKind("Secret"):
		return errors.New("KeepDesired would reveal the values of a Secret in an annotation")
	case kind.Group == rbacv1.GroupName:
		return errors.New("KeepDesired would let everybody grant permissions who may annotate the object")
	}
	return nil
}

// desiredKey returns the annotation of the children of a kind that keeps what is desired of them; empty if
// none does.
func (kind *childKind) desiredKey(keys ownership.Keys) string {
	if !kind.KeepDesired {
		return ""
	}
	return keys.Desired
}

// desiredTexts returns what was desired of the children of a kind when they were last written, by their
// names. It returns nil if the kind does not keep it.
func (s *subject) desiredTexts(kind *childKind, children []client.Object) map[types.NamespacedName]string {
	if !kind.KeepDesired {
		return nil
	}
	texts := make(map[types.NamespacedName]string, len(children))
	for _, child := range children {
		name := client.ObjectKeyFromObject(child)
		key := apply.Key{Kind: kind.GroupVersionKind, Name: name}
		if text := s.state.applied.DesiredText(key, child, s.loop.childCache.keys.Desired, s.loop.manager); text != "" {
			texts[name] = text
		}
	}
	return texts
}
