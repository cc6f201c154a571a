package apply

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Adoption says what to do about an object that has the name of a child and is
// not the parent's.
type Adoption string

// The adoption policies.
const (
	Never     Adoption = "Never"     // it is left alone, and the child counts as taken
	IfUnowned Adoption = "IfUnowned" // it is adopted unless something controls it
	Force     Adoption = "Force"     // it is adopted, also from what controls it
)

// adoptable tells whether the policy of a child allows to adopt an object
// that something may control.
func (d Desired) adoptable(live client.Object, holder string) bool {
	if live.GetDeletionTimestamp() != nil {
		return false
	}
	return d.Adoption == Force || d.Adoption == IfUnowned && holder == ""
}

// adopt makes an object the parent's child. What kubectl's commands set in it
// counts as set by us from now on, so that it goes when desired drops it; and
// an object has one controller only, so that the one before lets go.
func (a *Applier) adopt(ctx context.Context, memo Memo, d Desired, live client.Object) (Outcome, error) {
	if d.Strategy == CreateOnly {
		return a.own(ctx, memo, d, live)
	}
	live, err := a.prepare(ctx, d, live, clientSide(live))
	if err != nil {
		return Outcome{}, err
	}
	outcome, err := a.change(ctx, memo, d, live)
	if err == nil && outcome.Action == Updated {
		outcome.Action = Adopted
	}
	return outcome, err
}

// prepare rewrites the parts of an object that an apply cannot: the field
// managers before, and the reference to the controller before. The write is
// refused if the object is no longer what was decided about.
func (a *Applier) prepare(ctx context.Context, d Desired, live client.Object, before sets.Set[string]) (client.Object, error) {
	changed := live.DeepCopyObject().(client.Object)
	if err := csaupgrade.UpgradeManagedFields(changed, before, a.Manager); err != nil {
		return nil, err
	}
	dropController(changed)
	metadata := map[string]any{"uid": live.GetUID(), "resourceVersion": live.GetResourceVersion()}
	if controller := metav1.GetControllerOf(live); controller != nil {
		metadata["ownerReferences"] = changed.GetOwnerReferences()
	}
	if len(before) > 0 {
		metadata["managedFields"] = changed.GetManagedFields()
	}
	if len(metadata) == 2 {
		return live, nil
	}
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return nil, err
	}
	answer, err := a.send(ctx, d.Name, types.MergePatchType, body)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil, ErrStale{d.Key()}
	}
	return answer, err
}

// clientSide are the field managers of kubectl's commands that wrote an object
// without server-side apply.
func clientSide(object client.Object) sets.Set[string] {
	managers := sets.New[string]()
	for _, entry := range object.GetManagedFields() {
		fromKubectl := strings.HasPrefix(entry.Manager, "kubectl") || entry.Manager == beforeFirstApply
		if fromKubectl && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" {
			managers.Insert(entry.Manager)
		}
	}
	return managers
}

func dropController(object client.Object) {
	var others []metav1.OwnerReference
	for _, ref := range object.GetOwnerReferences() {
		if ref.Controller == nil || !*ref.Controller {
			others = append(others, ref)
		}
	}
	object.SetOwnerReferences(others)
}

// own makes an object the parent's child and changes nothing else of it. That is no
// apply, since one that says less than the last takes back the rest: the object may
// be a child of earlier.
func (a *Applier) own(ctx context.Context, memo Memo, d Desired, live client.Object) (Outcome, error) {
	metadata := maps.Clone(d.Ownership)
	if metadata == nil {
		metadata = map[string]any{}
	}
	changed := live.DeepCopyObject().(client.Object)
	dropController(changed)
	references, _ := metadata["ownerReferences"].([]any)
	for _, reference := range changed.GetOwnerReferences() {
		if reference.UID != d.Owner {
			references = append(slices.Clip(references), reference)
		}
	}
	metadata["ownerReferences"] = references
	metadata["uid"], metadata["resourceVersion"] = live.GetUID(), live.GetResourceVersion()
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return Outcome{}, err
	}
	object, err := a.send(ctx, d.Name, types.MergePatchType, body)
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return Outcome{}, ErrStale{d.Key()}
	case err != nil:
		return Outcome{}, err
	}
	return Outcome{Action: Adopted, Object: object}, a.leave(memo, d, object)
}
