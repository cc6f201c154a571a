package operator

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// plan is what a parent wants of one kind of children.
type plan struct {
	desired []apply.Desired
	keep    map[types.NamespacedName]bool // neither written nor pruned
}

// plan makes the answer of Sync complete: namespaces, owner references, hashes.
// It reports all that is wrong with it at once.
func (p *pass) plan(kinds []ChildKind) ([]plan, error) {
	plans := make([]plan, len(p.children))
	var wrong []error
	for i, child := range p.children {
		plans[i].keep = map[types.NamespacedName]bool{}
		set := kinds[i].Fields.desired
		if set == nil {
			continue
		}
		for _, name := range set.keep {
			plans[i].keep[p.parseName(child, name)] = true
		}
		seen := map[types.NamespacedName]bool{}
		for _, wanted := range set.children {
			desired, err := p.desire(child, wanted)
			if err == nil && seen[desired.Name] {
				err = fmt.Errorf("%s is desired twice", desired.Key())
			}
			if err != nil {
				wrong = append(wrong, errDesired{err})
				continue
			}
			seen[desired.Name] = true
			plans[i].desired = append(plans[i].desired, desired)
		}
	}
	return plans, errors.Join(wrong...)
}

// errDesired says what is wrong with the answer of Sync.
type errDesired struct{ error }

func (p *pass) desire(child kind, wanted Wanted) (apply.Desired, error) {
	var object any = wanted.Object
	if wanted.Configuration != nil {
		object = wanted.Configuration
	}
	if v := reflect.ValueOf(object); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return apply.Desired{}, fmt.Errorf("a desired %s is nil", child.Kind)
	}
	content, err := apply.Canonical(object)
	if err != nil {
		return apply.Desired{}, fmt.Errorf("a desired %s: %w", child.Kind, err)
	}
	name, err := p.identify(child, content)
	if err != nil {
		return apply.Desired{}, err
	}
	if err := p.own(content); err != nil {
		return apply.Desired{}, err
	}
	return apply.NewDesired(apply.Desired{
		Kind:     child.GroupVersionKind,
		Name:     name,
		Owner:    p.parent.GetUID(),
		Strategy: apply.Strategy(cmp.Or(wanted.Update, child.update)),
		Adoption: apply.Adoption(cmp.Or(wanted.Adopt, child.adopt)),
		HashKey:  p.group + "/desired-hash",
	}, content)
}

// identify returns the name of a desired child, in the namespace where it
// belongs.
func (p *pass) identify(child kind, content map[string]any) (types.NamespacedName, error) {
	object := unstructured.Unstructured{Object: content}
	name := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	if gvk := object.GroupVersionKind(); gvk.Kind != "" && gvk != child.GroupVersionKind {
		return name, fmt.Errorf("%s %s is desired among children of kind %s %s", gvk.GroupVersion(), gvk.Kind, child.GroupVersion(), child.Kind)
	}
	if name.Name == "" {
		return name, fmt.Errorf("a desired %s has no name", child.Kind)
	}
	if child.namespaced && p.loop.parent.namespaced {
		name.Namespace = cmp.Or(name.Namespace, p.parent.GetNamespace())
	}
	key := apply.Key{Kind: child.GroupVersionKind, Name: name}
	switch {
	case !child.namespaced && name.Namespace != "":
		return name, fmt.Errorf("%s has a namespace, but its kind is cluster-scoped", key)
	case child.namespaced && name.Namespace == "":
		return name, fmt.Errorf("%s has no namespace, which a child of a cluster-scoped parent needs", key)
	case p.loop.parent.namespaced && name.Namespace != p.parent.GetNamespace():
		return name, fmt.Errorf("%s is outside of its parent's namespace, %s", key, p.parent.GetNamespace())
	case child.namespaced && p.watched != "" && name.Namespace != p.watched:
		return name, fmt.Errorf("%s is outside of the only namespace that the operator works in, %s", key, p.watched)
	}
	return name, nil
}

// own makes the parent the controller of a desired child.
func (p *pass) own(content map[string]any) error {
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		return errors.New("a desired child has no metadata")
	}
	references, _ := metadata["ownerReferences"].([]any)
	references = slices.DeleteFunc(references, func(reference any) bool { // the author may have set ours, too
		fields, _ := reference.(map[string]any)
		return fields["uid"] == string(p.parent.GetUID())
	})
	metadata["ownerReferences"] = append(references, map[string]any{
		"apiVersion":         p.loop.parent.GroupVersion().String(),
		"kind":               p.loop.parent.Kind,
		"name":               p.parent.GetName(),
		"uid":                string(p.parent.GetUID()),
		"controller":         true,
		"blockOwnerDeletion": true,
	})
	return nil
}
