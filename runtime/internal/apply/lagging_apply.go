package apply

import (
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// An apply removes only what its field manager owns. So the manager becomes the owner of the lagging fields, and the
// apply that follows drops them: the API server sets its defaults again. Values that only a create sets are in the same
// apply, and have no owner afterwards, as they have none in a new child.

// takeOwnership makes a field manager the owner of the lagging fields of a child, as if it had applied them. It reports
// whether it has changed the managedFields.
func (l *lagging) takeOwnership(child client.Object, manager, version string) (changed bool, err error) {
	if l == nil {
		return false, nil
	}
	entries, err := withSoleOwner(child.GetManagedFields(), manager, version, l.paths)
	if err != nil || entries == nil {
		return false, err
	}
	child.SetManagedFields(entries)
	return true, nil
}

// isInContent reports whether a field lags that is not in the metadata.
func (l *lagging) isInContent() bool {
	isContent := func(path fieldpath.Path) bool { return *path[0].FieldName != "metadata" }
	return l != nil && !filterPaths(l.paths, isContent).Empty()
}

// applyWithLagging applies the desired state with the lagging values.
func (c *childApply) applyWithLagging(ctx context.Context, live client.Object) (client.Object, error) {
	d := c.desired
	if c.lagging == nil || c.lagging.values.Empty() {
		return c.client.applyDesired(ctx, d, live.GetUID())
	}
	answer, err := c.client.applyDesired(ctx, d.withValuesAt(c.lagging.values, c.lagging.fresh), live.GetUID())
	if err != nil {
		return nil, err
	}
	return c.releaseValues(ctx, answer)
}

// releaseValues gives up the ownership of the lagging values. The patch has no resource version: whoever writes to the
// child meanwhile does not hold it.
func (c *childApply) releaseValues(ctx context.Context, child client.Object) (client.Object, error) {
	at := slices.IndexFunc(child.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return managedfields.IsEntryOf(entry, c.client.manager) && entry.Operation == metav1.ManagedFieldsOperationApply
	})
	rest, err := managedfields.Format(parseFields(child.GetManagedFields()[at]).RecursiveDifference(c.lagging.values))
	if err != nil {
		return nil, err
	}
	entry := fmt.Sprintf("/metadata/managedFields/%d", at)
	body, err := jsonpatch.For(child.GetUID(), jsonpatch.Operation{Op: "test", Path: entry + "/manager", Value: c.client.manager},
		jsonpatch.Operation{Op: "test", Path: entry + "/operation", Value: metav1.ManagedFieldsOperationApply},
		jsonpatch.Operation{Op: "replace", Path: entry + "/fieldsV1", Value: rest})
	if err != nil {
		return nil, err
	}
	return c.client.patchChild(ctx, c.desired.Name, types.JSONPatchType, body)
}

// asFormer returns the desired state of a child that has these fields.
func (d Desired) asFormer(fields map[string]any) Desired {
	content, metadata := maps.Clone(fields), maps.Clone(ensureObject(fields, "metadata"))
	content["metadata"] = metadata
	d.content, d.Source, d.HashKey = func() map[string]any { return content }, nil, ""
	d.setIdentity(content)
	return d
}

// withValuesAt returns the desired state with the values that an object has at some paths.
func (d Desired) withValuesAt(paths *fieldpath.Set, object map[string]any) Desired {
	content := d.content()
	for path := range paths.All() {
		content, _ = managedfields.WithValueAt(content, path, managedfields.ValueAt(object, path).Value).(map[string]any)
	}
	d.content = func() map[string]any { return content }
	return d
}
