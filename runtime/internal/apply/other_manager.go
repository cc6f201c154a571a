package apply

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// OtherManager returns the field manager that took labels and annotations from ours, and their
// paths.
func (m Metadata) OtherManager(live client.Object, own string) (manager string, taken []string) {
	metadata := map[string]any{}
	for name, set := range map[string]map[string]string{"labels": m.Labels, "annotations": m.Annotations} {
		values := map[string]any{}
		for key, value := range set {
			values[key] = value
		}
		if len(values) > 0 {
			metadata[name] = values
		}
	}
	desired := map[string]any{"metadata": metadata}
	owned := managedfields.Parse(managedfields.Entry(live, own, metav1.ManagedFieldsOperationApply, ""))
	return findOtherManager(live, own, "", owned, desired)
}

// OtherStatusManager returns the field manager that took these parts of an object's status from
// ours, and their paths.
func OtherStatusManager(live client.Object, own string, parts map[string]any) (manager string, taken []string) {
	desired := map[string]any{"status": parts}
	owned := managedfields.Parse(managedfields.Entry(live, own, metav1.ManagedFieldsOperationUpdate, "status"))
	return findOtherManager(live, own, "status", owned, desired)
}

// findOtherManager returns the field manager that took desired fields from ours, through a
// subresource if one is named. own is our manager, owned what it still owns. If the fields were
// removed, it returns the manager that wrote last.
func findOtherManager(live client.Object, own, subresource string, owned *fieldpath.Set, desired map[string]any) (manager string, taken []string) {
	var takenAt, writtenAt time.Time
	lastWriter := ""
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == own || entry.FieldsV1 == nil {
			continue
		}
		at := ptrTime(entry.Time)
		if entry.Subresource == subresource && !at.Before(writtenAt) {
			lastWriter, writtenAt = entry.Manager, at
		}
		if paths := pathsTaken(parseFields(entry), owned, desired); len(paths) > 0 && !at.Before(takenAt) {
			manager, taken, takenAt = entry.Manager, paths, at
		}
	}
	if manager != "" {
		return manager, taken
	}
	taken = pathsRemoved(live, owned, desired)
	if len(taken) == 0 {
		return own, nil // someone else uses our name
	}
	return lastWriter, taken
}

// ptrTime returns the time, or the zero time for nil.
func ptrTime(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// pathsTaken returns the desired paths that another manager has, and ours does not have any more.
func pathsTaken(theirs, ours *fieldpath.Set, desired map[string]any) (paths []string) {
	enter := func(p *managedfields.Node) bool {
		isEnd := p.Below == nil || isEmptyObject(p.Desired.Value) // fields below are defaults
		if p.Desired.Exists && isEnd && !managedfields.Has(ours, p.Path()) {
			paths = append(paths, p.String())
		}
		return p.Desired.Exists && !isEnd
	}
	managedfields.Rules{Enter: enter}.Walk(theirs, desired, nil)
	return paths
}

// pathsRemoved returns the desired paths that are gone from ours, or whose maps and lists are empty. A
// manager that empties a map or a list does not become its owner.
func pathsRemoved(live client.Object, ours *fieldpath.Set, desired map[string]any) (paths []string) {
	content, err := contentOf(live)
	if err != nil {
		return nil
	}
	enter := func(p *managedfields.Node) bool {
		isEmpty := p.Live.Value == nil || !isScalar(p.Live.Value) && isZero(p.Live.Value)
		if p.Desired.Exists && p.Below == nil && isEmpty && !isEmptyObject(p.Desired.Value) {
			paths = append(paths, p.String())
		}
		return p.Desired.Exists
	}
	leave := func(p *managedfields.Node) { paths = append(paths, p.Missing()...) }
	managedfields.Rules{Enter: enter, Leave: leave}.Walk(ours, desired, content)
	return paths
}
