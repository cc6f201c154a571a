package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// emptyObjects removes the fields that we applied below objects of a custom resource that are now
// desired without fields. The apply itself would leave null there, which the CRD's validation
// refuses.
func (c childClient) emptyObjects(ctx context.Context, d Desired, live client.Object) error {
	if d.isBuiltin() {
		return nil
	}
	content, err := contentOf(live)
	if err != nil {
		return err
	}
	removals := removalsBelowEmpty(managedfields.Parse(managedfields.Entry(live, c.manager, metav1.ManagedFieldsOperationApply, "")), d.fields(), content)
	if len(removals) == 0 {
		return nil
	}
	body, err := jsonpatch.For(live.GetUID(), removals...)
	if err != nil {
		return err
	}
	_, err = c.patchChild(ctx, d.Name, types.JSONPatchType, body)
	if jsonpatch.DoesNotFit(err) || apierrors.IsNotFound(err) {
		return errConflict{ErrStale{d.Key()}, err}
	}
	return err
}

// removalsBelowEmpty returns the operations that remove the fields in a set below each object that is
// desired without fields.
func removalsBelowEmpty(set *fieldpath.Set, desired, live map[string]any) []jsonpatch.Operation {
	var removals patch
	enter := func(p *managedfields.Node) bool {
		if !p.Desired.Exists && p.Live.Exists && isEmptyObject(p.Parent.Desired.Value) {
			removals.add(p, "remove", nil)
		}
		return p.Desired.Exists
	}
	managedfields.Rules{Enter: enter}.Walk(set, desired, live)
	return removals.steps
}

// patch collects operations on a live object.
type patch struct {
	steps  []jsonpatch.Operation
	tested map[string]bool // the items whose keys the operations test, by their pointers
}

// add adds an operation at a node. It first tests the keys of the items around the node, because
// they may have moved.
func (p *patch) add(at *managedfields.Node, operation string, value any) {
	for item := at; item != nil; item = item.Parent {
		if item.IsItem() && !p.tested[item.Pointer()] {
			p.testKeys(item)
		}
	}
	p.steps = append(p.steps, jsonpatch.Operation{Op: operation, Path: at.Pointer(), Value: value})
}

// testKeys adds the tests of an item's keys.
func (p *patch) testKeys(item *managedfields.Node) {
	if p.tested == nil {
		p.tested = map[string]bool{}
	}
	path := item.Pointer()
	p.tested[path] = true
	for _, key := range ptr.Deref(item.Element.Key, nil) {
		p.steps = append(p.steps, jsonpatch.Operation{Op: "test", Path: path + "/" + jsonpatch.Escape(key.Name), Value: key.Value.Unstructured()})
	}
}
