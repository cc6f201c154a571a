package operator

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// plan is what a parent wants of all its children.
type plan struct {
	tasks []task
	keep  map[apply.Key]bool // neither written nor pruned
}

// task is one child to bring to its desired state.
type task struct {
	apply.Desired
	kind        *childKind
	live        client.Object // as observed; nil when there is none
	update      UpdateStrategy
	byReference bool        // owned by an owner reference
	after       []apply.Key // children that have to be ready before
	place       int         // in the order in which Sync added them
	replace     bool        // what is live is to be made anew
	wanted      Wanted      // as Sync added it
}

// plan makes the answer of Sync complete: namespaces, ownership, hashes, and the
// order in which the children are written. It reports all that is wrong with it
// at once, beside what is planned of the other children.
func (p *pass) plan(kinds []ChildKind) (plan, error) {
	made := plan{keep: map[apply.Key]bool{}}
	seen := map[apply.Key]bool{}
	var wrong []error
	for i, kind := range p.children {
		set := kinds[i].Fields.desired
		if set == nil {
			continue
		}
		for _, name := range set.keep {
			key, err := p.kept(kind, name)
			if err != nil {
				wrong = append(wrong, errDesired{err})
				continue
			}
			made.keep[key] = true
		}
		live := byName(p.observed[i])
		for _, wanted := range set.children {
			one, err := p.task(kind, wanted)
			if errors.As(err, new(errUndesired)) {
				continue
			}
			if err == nil && seen[one.Key()] {
				err = fmt.Errorf("%s is desired twice", one.Key())
				made.tasks = slices.DeleteFunc(made.tasks, func(other task) bool { return other.Key() == one.Key() })
			}
			if err != nil {
				wrong = append(wrong, errDesired{err})
				continue
			}
			seen[one.Key()], one.live, one.place = true, live[one.Name], len(made.tasks)
			made.tasks = append(made.tasks, one)
		}
	}
	if len(wrong) > 0 {
		made.tasks = withoutWaiting(made.tasks)
	}
	tasks, err := inOrder(made.tasks)
	made.tasks = tasks
	return made, errors.Join(append(wrong, err)...)
}

// errDesired says what is wrong with the answer of Sync.
type errDesired struct{ error }

func (p *pass) task(kind *childKind, wanted Wanted) (task, error) {
	if isNil(wanted.source()) {
		return task{}, fmt.Errorf("a desired %s is nil", kind.Kind)
	}
	identity, input, err := identityOf(wanted)
	if err != nil {
		return task{}, fmt.Errorf("a desired %s: %w", kind.Kind, err)
	}
	name, err := p.identify(kind, identity)
	if err != nil {
		return task{}, err
	}
	whenDeleted := cmp.Or(wanted.WhenRemoved, kind.WhenDeleted)
	byReference := p.refersTo(kind, name, whenDeleted)
	made := task{kind: kind, update: cmp.Or(wanted.Update, kind.Update), byReference: byReference, replace: wanted.Replace, wanted: wanted}
	if made.after, err = p.keysOf(wanted.After); err != nil {
		return task{}, fmt.Errorf("%s comes after %w", apply.Key{Kind: kind.GroupVersionKind, Name: name}, err)
	}
	described := apply.Desired{
		Kind:          kind.GroupVersionKind,
		Name:          name,
		Owner:         p.parent.GetUID(),
		Strategy:      made.strategy(),
		Rolls:         made.rolls(),
		Adoption:      apply.Adoption(cmp.Or(wanted.Adopt, kind.Adopt)),
		WhenImmutable: apply.ImmutablePolicy(cmp.Or(wanted.WhenImmutable, kind.WhenImmutable)),
		HashKey:       p.offspring.keys.Hash,
		Input:         input.with(byReference, wanted.WhenRemoved, made.update),
		Source:        kind.source(wanted),
		Fresh:         p.requested != "",
	}
	described.Ownership = func() map[string]any {
		return p.offspring.keys.Ownership(p.owner(), byReference, string(wanted.WhenRemoved))
	}
	described.Own = func(metadata map[string]any) {
		p.offspring.keys.Refer(metadata, p.owner(), byReference)
		p.offspring.keys.Override(metadata, string(wanted.WhenRemoved))
	}
	content := func() (map[string]any, error) { return p.content(wanted) }
	if described, content, err = p.replaced(described, whenDeleted, content); err != nil {
		return task{}, fmt.Errorf("a desired %s: %w", kind.Kind, err)
	}
	p.wants += described.Input
	recalled, ok := p.state.memo.Recall(described, func() map[string]any {
		content, _ := content() // which it was possible to make before
		return content
	})
	if ok {
		made.Desired = recalled
		return made, nil
	}
	complete, err := content()
	if err != nil {
		return task{}, fmt.Errorf("a desired %s: %w", kind.Kind, err)
	}
	made.Desired, err = apply.NewDesired(described, complete)
	return made, err
}

func isNil(object any) bool {
	v := reflect.ValueOf(object)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// content is what the author desires of a child.
func (p *pass) content(wanted Wanted) (map[string]any, error) {
	content, err := apply.Canonical(wanted.source())
	if err != nil {
		return nil, err
	}
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		return nil, errors.New("it has no metadata")
	}
	p.offspring.keys.Disown(metadata, p.parent.GetUID())
	return content, nil
}

// strategy is how the apply engine is to go about one child, whose turn it is.
func (t task) strategy() apply.Strategy {
	switch t.update {
	case RollingInPlace:
		return apply.InPlace
	case RollingRecreate:
		return apply.Recreate
	}
	return apply.Strategy(t.update)
}

// refersTo tells whether a child gets an owner reference to its parent: where
// Kubernetes allows one, unless the garbage collector must keep off.
func (p *pass) refersTo(kind *childKind, name types.NamespacedName, whenDeleted DeletionPolicy) bool {
	legal := !p.loop.parent.namespaced || kind.namespaced && name.Namespace == p.parent.GetNamespace()
	return legal && whenDeleted != Orphan && !p.ordered
}

// identify returns the name of a desired child, in the namespace where it
// belongs.
func (p *pass) identify(kind *childKind, said identity) (types.NamespacedName, error) {
	name := said.name
	if said.kind.Kind != "" && said.kind != kind.GroupVersionKind {
		return name, fmt.Errorf("%s %s is desired among children of kind %s %s", said.kind.GroupVersion(), said.kind.Kind, kind.GroupVersion(), kind.Kind)
	}
	if name.Name == "" {
		return name, fmt.Errorf("a desired %s has no name", kind.Kind)
	}
	if kind.namespaced && p.loop.parent.namespaced {
		name.Namespace = cmp.Or(name.Namespace, p.parent.GetNamespace())
	}
	key := apply.Key{Kind: kind.GroupVersionKind, Name: name}
	switch {
	case !kind.namespaced && name.Namespace != "":
		return name, fmt.Errorf("%s has a namespace, but its kind is cluster-scoped", key)
	case kind.namespaced && name.Namespace == "":
		return name, fmt.Errorf("%s has no namespace, which a child of a cluster-scoped parent needs", key)
	case kind.namespaced && p.watched != "" && name.Namespace != p.watched:
		return name, fmt.Errorf("%s is outside of the only namespace that the operator works in, %s", key, p.watched)
	}
	return name, nil
}

// keysOf names desired children that an author refers to by their objects.
func (p *pass) keysOf(objects []client.Object) ([]apply.Key, error) {
	var keys []apply.Key
	for _, object := range objects {
		if isNil(object) {
			return nil, errors.New("a child that is nil")
		}
		gvk, err := apiutil.GVKForObject(object, p.client.Scheme())
		if err != nil {
			return nil, fmt.Errorf("a child of a kind that is not known: %w", err)
		}
		name := client.ObjectKeyFromObject(object)
		for _, kind := range p.children {
			if kind.GroupVersionKind == gvk && kind.namespaced && p.loop.parent.namespaced {
				name.Namespace = cmp.Or(name.Namespace, p.parent.GetNamespace())
			}
		}
		keys = append(keys, apply.Key{Kind: gvk, Name: name})
	}
	return keys, nil
}

// needsFinalizer tells whether the parent must not go without the operator:
// something belongs to it that the garbage collector does not know of, or must
// not delete after it.
func (p *pass) needsFinalizer(plan plan) bool {
	for _, task := range plan.tasks {
		if !task.byReference {
			return true
		}
	}
	for _, child := range p.all() {
		collected := ownership.Referenced(child.object, p.parent.GetUID()) && p.whenDeleted(child) == Delete && !p.ordered
		if !collected {
			return true
		}
	}
	return false
}
