package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// plan is what a parent desires of all its children.
type plan struct {
	tasks []task
	hash  uint64             // of all that is desired
	keep  map[apply.Key]bool // children that are neither written nor pruned
	// keepAll says that these are all children which are not desired.
	keepAll bool
	// unserved are the desired children of kinds that the API server does not serve.
	unserved []child
	// unwritten are children that exist, of which no more is written than what makes them children: they are
	// desired in an invalid way, or come after such.
	unwritten []task
}

// task is one child to bring to its desired state.
type task struct {
	apply.Desired
	kind        *childKind
	observed    client.Object // nil when there is none
	byReference bool          // owned by an owner reference
	after       []apply.Key   // children that have to be ready before
	createAfter []apply.Key   // children that have to be ready before it is created
	replaces    []apply.Key   // undesired children that have to be gone before
	place       int           // in the order in which Sync added them
	// maxUnavailable is how many children of the kind a rolling update lets be down at a time.
	maxUnavailable declared.MaxUnavailable
	recreate       bool                  // Sync wants the observed child recreated
	source         declared.DesiredChild // as Sync added it
}

// planner makes a plan of what Sync answers.
type planner struct {
	*subject
	request *writeRequest
}

// planChildren completes the answer of Sync: namespaces, ownership, hashes, and the order in
// which the children are written. The error joins all that is wrong with the answer; the plan
// has the valid children.
func (p *planner) planChildren(observed *observed, sets []declared.DesiredSet) (plan, error) {
	made := plan{keep: map[apply.Key]bool{}}
	seen := map[apply.Key]bool{}
	var invalid []error
	for i, kind := range p.loop.childKinds {
		set := sets[kind.index]
		if !observed.isServed[i] {
			made.unserved = append(made.unserved, kind.listUnserved(set)...)
			continue
		}
		for _, name := range set.Keep {
			key, err := p.loop.parseKeptName(p.parent.GetNamespace(), kind, name)
			if err != nil {
				invalid = append(invalid, errInvalid{err})
				continue
			}
			made.keep[key] = true
		}
		if err := set.MaxUnavailable.Check(); err != nil {
			invalid = append(invalid, errInvalid{fmt.Errorf("the desired children of kind %s: %w", kind.Kind, err)})
		}
		existing := byName(observed.ofKind(kind))
		for _, desired := range set.Children {
			added, err := p.planChild(kind, desired, existing)
			made.hash += added.Input
			if err == nil && seen[added.Key()] {
				err = fmt.Errorf("%s is desired twice", added.Key())
				made.tasks = slices.DeleteFunc(made.tasks, func(other task) bool { return other.Key() == added.Key() })
			}
			added.observed = existing[added.Name]
			if err != nil {
				invalid = append(invalid, errInvalid{err})
				made.unwritten = appendUnwritten(made.unwritten, added)
				continue
			}
			seen[added.Key()], added.place = true, len(made.tasks)
			added.maxUnavailable = cmp.Or(set.MaxUnavailable, kind.MaxUnavailable)
			made.tasks = append(made.tasks, added)
		}
	}
	var wrong []error
	made.tasks, wrong = checkReplaced(made)
	invalid = append(invalid, wrong...)
	if len(invalid) > 0 {
		var dropped []task
		made.tasks, dropped = dropDependents(made.tasks)
		made.unwritten = appendUnwritten(made.unwritten, dropped...)
	}
	tasks, err := orderTasks(p.state.turns.sort(missingFirst(made.tasks)), made.unserved)
	made.tasks = tasks
	return made, errors.Join(append(invalid, err)...)
}

// appendUnwritten adds those of tasks of which more than the name is known, and whose children exist.
func appendUnwritten(unwritten []task, tasks ...task) []task {
	for _, t := range tasks {
		if t.observed != nil && t.Ownership != nil {
			t.Desired = apply.Desired{Kind: t.Kind, Name: t.Name, Owner: t.Owner, Group: t.Group, CreatedAsKey: t.CreatedAsKey, Ownership: t.Ownership}
			unwritten = append(unwritten, t)
		}
	}
	return unwritten
}

// listUnserved returns the desired children of a kind that the API server does not serve. They wait.
func (kind *childKind) listUnserved(set declared.DesiredSet) (waiting []child) {
	for _, desired := range set.Children {
		if isNil(desired.Source()) {
			continue
		}
		stated, _, err := readIdentity(desired)
		if err != nil {
			continue
		}
		waiting = append(waiting, child{childKind: kind, name: stated.name, waitsFor: unservedText})
	}
	return waiting
}

// planChild completes one desired child. It converts a child that has not changed since the
// last reconcile only once.
func (p *planner) planChild(kind *childKind, desired declared.DesiredChild, existing map[types.NamespacedName]client.Object) (task, error) {
	name, input, err := p.loop.identifyDesired(p.parent.GetNamespace(), kind, desired)
	if err != nil {
		return task{}, err
	}
	policies := desired.Policies.Or(kind.Policies)
	isAdopting := p.isAdopting(kind, apply.Key{Kind: kind.GroupVersionKind, Name: name}, existing[name])
	byReference := p.getsOwnerReference(kind, name, policies.WhenDeleted) && !isAdopting
	keys, key := p.loop.childCache.keys, apply.Key{Kind: kind.GroupVersionKind, Name: name}
	described := apply.Desired{Kind: key.Kind, Name: name, Owner: p.parent.GetUID(), Group: p.owner().Kind.Group, CreatedAsKey: keys.CreatedAs}
	described.Ownership = func() map[string]any {
		return keys.Ownership(p.owner(), byReference, desired.DeletionText(), kind.As)
	}
	made := task{Desired: described, kind: kind, byReference: byReference, recreate: desired.Recreate, source: desired}
	if made.after, err = p.readKeys(desired.After); err != nil {
		return made, fmt.Errorf("%s comes after %w", key, err)
	}
	if made.createAfter, err = p.readKeys(desired.CreateAfter); err != nil {
		return made, fmt.Errorf("%s is created after %w", key, err)
	}
	if made.replaces, err = p.readKeys(desired.Replaces); err != nil {
		return made, fmt.Errorf("%s replaces %w", key, err)
	}
	if err := cmp.Or(kind.checkGenerated(desired, policies), kind.checkAdoption(policies), kind.checkKept()); err != nil {
		return made, fmt.Errorf("%s: %w", key, err)
	}
	inPlace, err := apply.ParseInPlace(slices.Concat(kind.InPlace, desired.InPlace))
	if err != nil {
		return made, fmt.Errorf("%s: %w", key, err)
	}
	handOver, err := kind.parseHandOver(desired)
	if err != nil {
		return made, fmt.Errorf("%s hands over: %w", key, err)
	}
	described.Policies, described.HandOver, described.InPlace = policies, handOver, inPlace
	described.HashKey, described.Input = keys.Hash, input.with(desired, byReference, kind.As)
	described.Source, described.Rewrite = kind.creatableObject(desired), p.request.isRewritten(key)
	described.HasExpired = existing[name] == nil && p.state.missing.hasExpired(key)
	described.Generate, described.GeneratedKey, described.AdoptedKey = desired.Generate, keys.Generated, keys.Adopted
	described.DesiredKey = kind.desiredKey(keys)
	described.HasLostMarks = p.hasLostMarks
	described.AddOwnerMetadata = func(metadata map[string]any) {
		keys.SetOwner(metadata, p.owner(), byReference)
		keys.SetDeletionPolicies(metadata, desired.DeletionText())
		keys.SetEntry(metadata, kind.As)
	}
	recalled, ok := p.state.applied.Recall(described, func() map[string]any {
		content, _ := p.loop.convertDesired(p.parent, desired) // an earlier reconcile converted it without an error
		return content
	})
	if ok {
		made.Desired = recalled
		return made, nil
	}
	made.Desired = described
	content, err := p.loop.convertDesired(p.parent, desired)
	if err != nil {
		return made, fmt.Errorf("a desired %s: %w", kind.Kind, err)
	}
	if err := checkSet(desired.Generate, content); err != nil {
		return made, fmt.Errorf("%s: %w", described.Key(), err)
	}
	made.Desired, err = apply.NewDesired(described, content)
	return made, err
}

// checkAdoption returns an error if a child cannot be adopted as it is: its annotation would tell what is
// desired of the values of a Secret. A strategy that never changes the child needs no annotation.
func (kind *childKind) checkAdoption(policies declared.Policies) error {
	isSecret := kind.GroupVersionKind == corev1.SchemeGroupVersion.WithKind("Secret")
	if isSecret && policies.Adopt == declared.AdoptAsItIs && policies.Update.Rules().RepairsDrift {
		return errors.New("a Secret cannot be adopted with AsItIs, which would reveal its values: use IfUnowned, or CreateOnly to never change it")
	}
	return nil
}

// parseHandOver returns the paths of the fields that a desired child hands over.
func (kind *childKind) parseHandOver(desired declared.DesiredChild) ([]fieldpath.Path, error) {
	return apply.ParseHandOver(slices.Concat(kind.HandOver, desired.HandOver))
}

func isNil(object any) bool {
	v := reflect.ValueOf(object)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// convertDesired returns the content that the author desires of a child, without ownership.
func (l *loop) convertDesired(parent client.Object, desired declared.DesiredChild) (map[string]any, error) {
	content, err := apply.Canonical(desired.Source())
	if err != nil {
		return nil, err
	}
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		return nil, errors.New("it has no metadata")
	}
	l.childCache.keys.ClearOwner(metadata, parent.GetUID())
	return content, nil
}

// getsOwnerReference reports whether a child gets an owner reference to its parent: where
// Kubernetes allows one, unless the garbage collector must not delete the child, or a deletion with
// --cascade=orphan must not keep it.
func (s *subject) getsOwnerReference(kind *childKind, name types.NamespacedName, whenDeleted declared.DeletionPolicy) bool {
	isLegal := !s.loop.parentKind.namespaced || kind.namespaced && name.Namespace == s.parent.GetNamespace()
	return isLegal && whenDeleted != declared.Orphan && !kind.ForbidDisconnect && !s.loop.definition.IsOrdered && !s.isOrphaning()
}
