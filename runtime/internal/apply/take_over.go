package apply

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// An object that another operator has made for a parent is taken over in one write: it gets the marks of a
// child, and the fields of the managers of Applier.TakeOverFrom become this field manager's, so that the
// next apply removes those that are not desired. Finalizers and a status stay their writer's: to remove a
// finalizer would skip what it is for.

// notTakenOver are the paths of fields that stay their manager's.
var notTakenOver = []fieldpath.Path{fieldpath.MakePathOrDie("status"), fieldpath.MakePathOrDie("metadata", "finalizers")}

// Takeover is what was taken over with an object.
type Takeover struct {
	Object  client.Object // as it is now
	Written bool
	From    []string       // the managers whose fields were taken over
	Taken   *fieldpath.Set // these fields
	Others  []ManagerFields
	before  client.Object // with all its fields
}

// ManagerFields are the fields of a field manager.
type ManagerFields struct {
	Manager string
	Fields  *fieldpath.Set
}

// TakeOver takes an object over for its parent. marks is the metadata that makes it the child, as a merge
// patch; nil: it has that. It returns ErrStale if the object has changed since it was read. Another error
// is a [backoff.Failed].
func (a *Applier) TakeOver(ctx context.Context, now time.Time, b *backoff.Budget, key Key, live client.Object, owner types.UID, marks map[string]any) (Takeover, error) {
	const state = "takeover"
	if err := b.Replay(now, state, live.GetUID()); err != nil {
		return Takeover{}, err
	}
	b.SetState(state)
	made, metadata, err := a.planTakeover(live, owner, a.TakeOverFrom, marks)
	if err != nil || len(metadata) == 0 {
		made.Object = a.asCached(Outcome{Object: live}).Object
		return made, err
	}
	answer, err := a.newClient().patchMetadata(ctx, key, live, metadata)
	if err != nil {
		return Takeover{}, recordFailure(b, now, state, live.GetUID(), err)
	}
	b.Succeeded()
	made.Written, made.Object = true, a.asCached(Outcome{Object: answer}).Object
	return made, nil
}

// planTakeover returns what a takeover takes of the field managers in from, and the metadata that it writes.
func (a *Applier) planTakeover(live client.Object, owner types.UID, from []string, marks map[string]any) (made Takeover, metadata map[string]any, err error) {
	metadata = map[string]any{}
	if marks != nil {
		metadata = Desired{Owner: owner, CreatedAsKey: a.CreatedAsKey, Ownership: func() map[string]any { return marks }}.ownershipPatch(live, nil)
	}
	made.before = live
	entries, err := made.takeEntries(live.GetManagedFields(), from, a.Manager)
	if err != nil {
		return made, nil, err
	}
	if len(made.From) > 0 {
		metadata["managedFields"] = entries
	}
	return made, metadata, nil
}

// takeEntries returns managedFields in which a field manager has applied what those in from own, but for what they
// wrote in another version of the kind: paths may differ between versions. If that manager is in from, what it applied before
// the object was made, as a backup tool has restored it, counts as applied now.
func (t *Takeover) takeEntries(entries []metav1.ManagedFieldsEntry, from []string, own string) (rest []metav1.ManagedFieldsEntry, err error) {
	version, ours := "", fieldpath.NewSet()
	for _, entry := range entries {
		if managedfields.IsEntryOf(entry, own) && entry.Operation == metav1.ManagedFieldsOperationApply {
			version, ours = entry.APIVersion, parseFields(entry)
		}
	}
	t.Taken = fieldpath.NewSet()
	for _, entry := range entries {
		isOwn := managedfields.IsEntryOf(entry, own) && entry.Operation == metav1.ManagedFieldsOperationApply
		if isOwn && slices.Contains(from, own) && entry.Time.Before(new(t.before.GetCreationTimestamp())) {
			t.From = append(t.From, own)
		}
		if isOwn {
			continue
		}
		isFrom := slices.Contains(from, entry.Manager) && managedfields.IsEntryOf(entry, entry.Manager)
		if isFrom && (version == "" || version == entry.APIVersion) {
			taken, kept := splitTaken(parseFields(entry))
			if !taken.Empty() {
				version, t.Taken = entry.APIVersion, t.Taken.Union(taken)
				t.From = append(t.From, entry.Manager)
			}
			if kept.Empty() {
				continue
			}
			if entry.FieldsV1, err = managedfields.Format(kept); err != nil {
				return nil, err
			}
		}
		if managedfields.IsEntryOf(entry, entry.Manager) && entry.Manager != own && !isOfKubernetes(entry.Manager) {
			t.Others = append(t.Others, ManagerFields{entry.Manager, parseFields(entry)})
		}
		rest = append(rest, entry)
	}
	slices.Sort(t.From)
	t.From = slices.Compact(t.From)
	if ours = ours.Union(t.Taken); ours.Empty() {
		return rest, nil
	}
	entry, err := newAppliedEntry(own, version, ours)
	return append(rest, entry), err
}

// splitTaken splits the fields of a manager into those that are taken over, and those that stay its own.
func splitTaken(set *fieldpath.Set) (taken, kept *fieldpath.Set) {
	taken, kept = fieldpath.NewSet(), fieldpath.NewSet()
	for path := range set.All() {
		isKept := slices.ContainsFunc(notTakenOver, func(around fieldpath.Path) bool { return managedfields.IsAround(around, path) })
		if isKept {
			kept.Insert(path.Copy())
		} else {
			taken.Insert(path.Copy())
		}
	}
	return taken, kept
}

// isOfKubernetes reports whether a field manager is a part of Kubernetes, whose fields nobody misses.
func isOfKubernetes(manager string) bool {
	return strings.HasPrefix(manager, "kube-") || manager == "kubelet" || manager == "cloud-controller-manager"
}

// Removed returns the paths of the fields that were taken over, and that an apply has removed or set to a
// default. after is the child since then.
func (t Takeover) Removed(d Desired, after client.Object) ([]string, error) {
	return d.unexplainedPaths(t.Taken, t.before, after)
}

// WouldRemove returns the same before the apply. created is a new child as the API server would make it.
func (t Takeover) WouldRemove(d Desired, created client.Object) ([]string, error) {
	taken := t.Taken
	for _, other := range t.Others {
		taken = taken.Difference(other.Fields)
	}
	return d.unexplainedPaths(taken, t.before, created)
}

// Staying returns the paths of the fields that others hold in a child, by their managers. It leaves out what
// is desired and what the API server sets by itself. created is a new child as the API server would make it.
func (t Takeover) Staying(d Desired, child, created client.Object) (staying map[string][]string, err error) {
	staying = map[string][]string{}
	for _, other := range t.Others {
		_, kept := splitTaken(other.Fields)
		paths, err := d.unexplainedPaths(other.Fields.Difference(kept), child, created)
		if err != nil {
			return nil, err
		}
		if len(paths) > 0 {
			staying[other.Manager] = append(staying[other.Manager], paths...)
		}
	}
	return staying, nil
}

// CreateDryRun returns a new child as the API server would make it. It is nil if the API server refuses
// that.
func (a *Applier) CreateDryRun(ctx context.Context, d Desired) (client.Object, error) {
	created, err := a.newClient().createDryRun(ctx, d.asNew())
	if isRefused(err) {
		return nil, nil
	}
	return created, err
}

// unexplainedPaths returns the paths in a set at which an object has what another object has not, or has
// otherwise, and what is not desired. It names the outermost ones.
func (d Desired) unexplainedPaths(set *fieldpath.Set, object, other client.Object) (paths []string, err error) {
	has, err := contentOf(object)
	if err != nil {
		return nil, err
	}
	lacks, err := contentOf(other)
	if err != nil {
		return nil, err
	}
	desired := d.contentWithGenerated()
	enter := func(p *managedfields.Node) bool {
		path := p.Path()
		isUnexplained := p.Live.Exists && (!p.Desired.Exists || p.Below == nil && !equalValues(p.Live.Value, p.Desired.Value))
		switch {
		case !p.Live.Exists, d.isExplained(path, desired):
			return p.Live.Exists && p.Below != nil && lengthIn(desired, path) == len(path)
		case isUnexplained:
			paths = append(paths, p.String())
		}
		return !isUnexplained
	}
	managedfields.Rules{Enter: enter}.Walk(set, lacks, has)
	return paths, nil
}

// contentWithGenerated returns the content of a new child with the keys of the values that are generated.
func (d Desired) contentWithGenerated() map[string]any {
	content := maps.Clone(d.wholeContent()())
	if len(d.Generate) == 0 {
		return content
	}
	data, _ := content["data"].(map[string]any)
	if data = maps.Clone(data); data == nil {
		data = map[string]any{}
	}
	for _, generated := range d.Generate {
		data[generated.Key] = ""
	}
	content["data"] = data
	return content
}

// isExplained reports whether a field is desired, handed over, or part of what makes an object a child.
func (d Desired) isExplained(path fieldpath.Path, desired map[string]any) bool {
	isHandedOver := slices.ContainsFunc(d.HandOver, func(around fieldpath.Path) bool { return managedfields.IsAround(around, path) })
	return isHandedOver || managedfields.IsAround(pathOf("ownerReferences"), path) || lengthIn(desired, path) == len(path)
}
