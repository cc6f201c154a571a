package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// identifyDesired returns the name of a desired child, and the hash of what the author gave.
func (l *loop) identifyDesired(parentNamespace string, kind *childKind, desired declared.DesiredChild) (types.NamespacedName, inputHash, error) {
	if isNil(desired.Source()) {
		return types.NamespacedName{}, 0, fmt.Errorf("a desired %s is nil", kind.Kind)
	}
	stated, input, err := readIdentity(desired)
	if err != nil {
		return types.NamespacedName{}, 0, fmt.Errorf("a desired %s: %w", kind.Kind, err)
	}
	name, err := l.completeName(parentNamespace, kind, stated)
	return name, input, err
}

// completeName returns the name of a desired child with the namespace that it belongs in. It
// returns an error if the child has another kind, or cannot have that name or namespace.
func (l *loop) completeName(parentNamespace string, kind *childKind, stated identity) (types.NamespacedName, error) {
	name := stated.name
	if stated.kind.Kind != "" && stated.kind != kind.GroupVersionKind {
		return name, fmt.Errorf("%s %s is desired among children of kind %s %s", stated.kind.GroupVersion(), stated.kind.Kind, kind.GroupVersion(), kind.Kind)
	}
	if name.Name == "" {
		return name, fmt.Errorf("a desired %s has no name", kind.Kind)
	}
	if kind.namespaced && l.parentKind.namespaced {
		name.Namespace = cmp.Or(name.Namespace, parentNamespace)
	}
	return name, l.checkNamespace(parentNamespace, kind, apply.Key{Kind: kind.GroupVersionKind, Name: name})
}

// parseKeptName reads the name of a child to keep: with a namespace, or without where there
// is none or the parent's is meant.
func (l *loop) parseKeptName(parentNamespace string, kind *childKind, text string) (apply.Key, error) {
	stated := identity{name: types.NamespacedName{Name: text}}
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		stated.name = types.NamespacedName{Namespace: namespace, Name: name}
	}
	name, err := l.completeName(parentNamespace, kind, stated)
	if err != nil {
		return apply.Key{}, fmt.Errorf("keep %q: %w", text, err)
	}
	return apply.Key{Kind: kind.GroupVersionKind, Name: name}, nil
}

// readKeys returns the keys of desired children that an author refers to by their objects.
func (p *planner) readKeys(objects []client.Object) (keys []apply.Key, err error) {
	for _, object := range objects {
		key, err := p.loop.readKey(p.parent, object)
		if err != nil {
			return nil, err
		}
		keys = append(keys, apply.Key(key))
	}
	return keys, nil
}

// readKey returns the key of a child of a parent that an author refers to by an object.
func (l *loop) readKey(parent, object client.Object) (key testcontrol.Child, err error) {
	if isNil(object) {
		return key, errors.New("a child that is nil")
	}
	if key.Kind, err = apiutil.GVKForObject(object, l.client.Scheme()); err != nil {
		return key, fmt.Errorf("a child of a kind that is not known: %w", err)
	}
	key.Name = client.ObjectKeyFromObject(object)
	for _, kind := range l.childKinds {
		if kind.GroupVersionKind == key.Kind && kind.isServed() && kind.namespaced && l.parentKind.namespaced {
			key.Name.Namespace = cmp.Or(key.Name.Namespace, parent.GetNamespace())
		}
	}
	return key, nil
}
