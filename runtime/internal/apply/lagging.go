package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// A field that nobody desires and nobody owns holds what the API server or its admission made of an earlier desired
// state. An apply leaves it as it is. It lags behind if the child has there what a new child of the former desired state
// would have, and a new child of the present one would have something else. So when the desired state has changed, the
// child is compared with the dry run of a create, and where it differs, with one of the former state, which managedFields
// show.
//
// Everything else stays: an address, a port or a random name, which no other child gets; a value that somebody has set
// without becoming its owner, as by the subresource scale; and what does not depend on the desired state, as a container
// of another version of an injector. The items of a list that are not desired are not compared.

// lagging are fields of a child that lag behind its desired state.
type lagging struct {
	live   client.Object  // the child with the entries of all field managers
	paths  *fieldpath.Set // the outermost of these fields
	values *fieldpath.Set // those of them that an apply has to set, since only a create does
	fresh  map[string]any // a new child
}

// freshChild is a child as the API server would create it.
type freshChild struct {
	content  map[string]any
	defaults *fieldpath.Set // what the desired state and the API server's defaults set, without allocation and admission
}

// findLagging looks for fields that lag behind the desired state, if that has changed. It notes what else a new child
// would have otherwise: if that is the same at the next change, it does not depend on the desired state.
func (c *childApply) findLagging(ctx context.Context, live client.Object) error {
	d, last := c.desired, c.state.childWithUID(c.desired.Key(), live)
	if !c.isChanged(live) {
		return nil
	}
	c.differing = new(string)
	owned, err := c.readOwned(live)
	if err != nil || !c.mayLag(owned) {
		return err
	}
	fresh, err := c.createDryRun(ctx, d)
	if fresh == nil || err != nil {
		return err
	}
	here, mayDrop := fieldsToCompare(owned.content), !owned.isCreated || c.mayDrop(owned)
	undesired := undesiredPaths(fresh.defaults, d.fieldsWithHash(), here).Union(undesiredPaths(fresh.defaults, d.fieldsWithHash(), fresh.content))
	differing := differentPaths(undesired, fresh.content, here).Intersection(undesired) // without items that the child lacks
	known := last.linesOfDiffering()
	candidates := filterPaths(differing, func(path fieldpath.Path) bool {
		isKnown := slices.ContainsFunc(fresh.linesAt(path, here), func(line string) bool { return known[line] })
		isDropped := mayDrop && managedfields.Has(owned.set, path) && fresh.isLeftByDrop(path)
		return !isKnown && !isDropped && !d.isNearHandedOver(path)
	})
	if !candidates.Empty() {
		if err := c.proveLagging(ctx, owned, fresh, candidates); err != nil {
			return err
		}
	}
	var lines []string
	for path := range differing.All() {
		if c.lagging == nil || !c.lagging.paths.Has(path) {
			lines = append(lines, fresh.linesAt(path, here)...)
		}
	}
	*c.differing = c.entries.Intern(live, []byte(strings.Join(lines, "\n")))
	return nil
}

// isChanged reports whether the child was written for another desired state.
func (c *childComparer) isChanged(live client.Object) bool {
	d := c.desired
	if hash := live.GetAnnotations()[d.HashKey]; hash != "" && d.carriesHash() {
		return hash != d.Hash
	}
	last := c.state.childWithUID(d.Key(), live)
	return last != nil && last.digest != d.digest
}

// mayLag reports whether the child has a field that is not desired. Of a child whose managedFields were wiped, or are of
// another version of the kind, nothing is known. One that was adopted as it is keeps such fields, and a Secret its
// generated values.
func (c *childComparer) mayLag(owned *ownedFields) bool {
	d := c.desired
	isOtherVersion := func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == c.manager && entry.APIVersion != d.Kind.GroupVersion().String()
	}
	isKept := d.record != "" || len(d.Generate) > 0
	isKnown := owned.entry != nil && !slices.ContainsFunc(owned.object.GetManagedFields(), isOtherVersion)
	return isKnown && !isKept && hasMore(fieldsToCompare(owned.content), d.fieldsWithHash())
}

// hasMore reports whether a value has fields or items that a part of it lacks.
func hasMore(whole, part any) bool {
	switch whole := whole.(type) {
	case map[string]any:
		for name, value := range whole {
			fields, _ := part.(map[string]any)
			if below, ok := fields[name]; !ok || hasMore(value, below) {
				return true
			}
		}
	case []any:
		items, _ := part.([]any)
		return !slices.EqualFunc(whole, items, func(a, b any) bool { return !hasMore(a, b) })
	}
	return false
}

// proveLagging keeps the candidates that do lag, and that no other field manager owns.
func (c *childApply) proveLagging(ctx context.Context, owned *ownedFields, fresh *freshChild, candidates *fieldpath.Set) error {
	d, here := c.desired, fieldsToCompare(owned.content)
	former, err := c.createDryRun(ctx, d.asFormer(managedfields.Extract(owned.set, here)))
	if former == nil || err != nil {
		return err
	}
	paths := filterPaths(candidates, func(path fieldpath.Path) bool {
		return isSameAt(path, former.content, here) && !isSameAt(path, former.content, fresh.content)
	})
	if paths.Empty() {
		return nil
	}
	full, err := c.client.readSame(ctx, d, owned.object) // the cache holds no other field managers
	if err != nil {
		return err
	}
	others := ownedBy(full, func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager != c.manager })
	again, err := c.createDryRun(ctx, d)
	if again == nil || err != nil {
		return err
	}
	paths = filterPaths(paths, func(path fieldpath.Path) bool {
		return !managedfields.Has(others, path) && isSameAt(path, again.content, fresh.content)
	})
	values := filterPaths(paths, func(path fieldpath.Path) bool { return !fresh.isLeftByDrop(path) })
	if !values.Empty() {
		dry, err := c.client.applyDesired(ctx, d, owned.object.GetUID(), client.DryRunAll)
		if err == nil { // else the apply itself has the answer
			after, err := contentOf(dry)
			if err != nil {
				return err
			}
			isSet := filterPaths(values, func(path fieldpath.Path) bool { return !isSameAt(path, here, after) })
			paths, values = paths.Difference(isSet), values.Difference(isSet)
		}
	}
	if !paths.Empty() {
		c.lagging = &lagging{full, paths, values, fresh.content}
	}
	return nil
}

// createDryRun returns the child as the API server would create it. It is nil if the API server refuses the dry run, as
// for a webhook that takes none; the log says so once.
func (c *childApply) createDryRun(ctx context.Context, d Desired) (*freshChild, error) {
	created, err := c.client.createDryRun(ctx, d)
	// A webhook for creates that is out of order holds no update.
	if isRefused(err) || backoff.IsTransient(err) && strings.Contains(err.Error(), "failed calling webhook") {
		c.applier.noDryRun.Do(func() {
			log.FromContext(ctx).Info("fields that nobody owns stay as they are when what is desired changes: the API server does not say how it would create the child",
				"child", c.desired.Key().String(), "reason", hideSecrets(err, d, c.owned.object).Error())
		})
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, err := contentOf(created)
	return &freshChild{fieldsToCompare(content), managedfields.Parse(managedfields.Entry(created, c.manager, metav1.ManagedFieldsOperationUpdate, ""))}, err
}

// fieldsToCompare returns the fields of an object that a desired state determines: all but its identity, its status
// and, of the metadata, all but labels and annotations.
func fieldsToCompare(content map[string]any) map[string]any {
	fields, metadata := payloadOf(content), map[string]any{}
	for _, part := range mapsInPlace {
		if texts := valueAt(content, []string{"metadata", part}); texts != nil {
			metadata[part] = texts
		}
	}
	fields["metadata"] = metadata
	return fields
}

// undesiredPaths returns the outermost fields of an object that are not desired, beside desired ones. Only the paths of
// a set are followed.
func undesiredPaths(set *fieldpath.Set, desired, object map[string]any) *fieldpath.Set {
	found := fieldpath.NewSet()
	enter := func(p *managedfields.Node) bool { return p.Desired.Exists && p.Live.Exists }
	leave := func(p *managedfields.Node) {
		desiredFields, isObject := p.Desired.Value.(map[string]any)
		has, _ := p.Live.Value.(map[string]any)
		for name := range has {
			if _, ok := desiredFields[name]; !ok && isObject {
				found.Insert(append(slices.Clip(p.Path()), fieldpath.FieldNameElement(name)))
			}
		}
	}
	managedfields.Rules{Enter: enter, Leave: leave}.Walk(set, desired, object)
	return found
}

// filterPaths returns the paths of a set that are to be kept.
func filterPaths(set *fieldpath.Set, keeps func(fieldpath.Path) bool) *fieldpath.Set {
	kept := fieldpath.NewSet()
	for path := range set.All() {
		if keeps(path) {
			kept.Insert(path.Copy())
		}
	}
	return kept
}

// isSameAt reports whether two objects have the same at a path.
func isSameAt(path fieldpath.Path, a, b map[string]any) bool {
	x, y := managedfields.ValueAt(a, path), managedfields.ValueAt(b, path)
	return x.Exists == y.Exists && equalValues(x.Value, y.Value)
}

// linesAt returns a path with hashes of what a new child has there, and of what the child has there. If one of both was
// so at the last change, the field does not lag: a new child of the former state would have the same as one of the
// present state, or has something else than the child.
func (f *freshChild) linesAt(path fieldpath.Path, here map[string]any) []string {
	hash := func(of map[string]any) uint64 {
		return xxhash.Sum64String(jsonText(managedfields.ValueAt(of, path).Value))
	}
	return []string{fmt.Sprintf("%s is %x", path, hash(f.content)), fmt.Sprintf("%s has %x", path, hash(here))}
}

// linesOfDiffering returns the lines that were noted at the last change.
func (a *appliedChild) linesOfDiffering() map[string]bool {
	known := map[string]bool{}
	if a != nil {
		for line := range strings.SplitSeq(a.differing, "\n") {
			known[line] = true
		}
	}
	return known
}

// isLeftByDrop reports whether an apply that drops a field leaves there what a new child has: nothing, or a default.
func (f *freshChild) isLeftByDrop(path fieldpath.Path) bool {
	return !managedfields.ValueAt(f.content, path).Exists || managedfields.Has(f.defaults, path)
}

// isNearHandedOver reports whether a path leads to a field that is handed over, or around it.
func (d Desired) isNearHandedOver(path fieldpath.Path) bool {
	return slices.ContainsFunc(d.HandOver, func(other fieldpath.Path) bool {
		return managedfields.IsAround(path, other) || managedfields.IsAround(other, path)
	})
}
