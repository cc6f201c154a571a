package apply

import (
	"context"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"
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
func (a *Applier) adopt(ctx context.Context, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if d.Strategy == CreateOnly {
		return adopted(a.claim(ctx, memo, d, live))
	}
	live, err := a.prepare(ctx, d, live, clientSide(live))
	if err != nil {
		return Outcome{}, err
	}
	return adopted(a.change(ctx, memo, d, live))
}

func adopted(outcome Outcome, err error) (Outcome, error) {
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
	metadata := map[string]any{}
	if controller := metav1.GetControllerOf(live); controller != nil {
		metadata["ownerReferences"] = changed.GetOwnerReferences()
	}
	if len(before) > 0 {
		metadata["managedFields"] = changed.GetManagedFields()
	}
	if len(metadata) == 0 {
		return live, nil
	}
	return a.merge(ctx, d.Key(), live, metadata)
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

// Reclaim makes an object the parent's child again that has ceased to look like
// one: what d.Ownership says, and nothing else, so that the next pass observes it
// and deals with it as with any other child.
func (a *Applier) Reclaim(ctx context.Context, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	outcome, err := a.claim(ctx, memo, d, live)
	if a.Metadata && err == nil {
		outcome.Object = metadataOf(outcome.Object)
	}
	return outcome, err
}

// claim makes an object the parent's child and changes nothing else in it. An
// apply would also drop what this field manager has ever set there.
func (a *Applier) claim(ctx context.Context, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	metadata := map[string]any{}
	maps.Copy(metadata, d.Ownership)
	ours, _ := metadata["ownerReferences"].([]any)
	references := slices.Clone(ours)
	for _, ref := range live.GetOwnerReferences() {
		if ref.UID != d.Owner && !ptr.Deref(ref.Controller, false) {
			references = append(references, ref)
		}
	}
	metadata["ownerReferences"] = references
	answer, err := a.merge(ctx, d.Key(), live, metadata)
	if err != nil {
		return Outcome{}, err
	}
	memo.set(&verified{key: d.Key(), uid: live.GetUID(), desired: d.Hash, input: d.Input, outdated: true, fight: memo.fightOf(d)})
	return Outcome{Action: Updated, Object: answer}, nil
}

// owns tells whether the metadata that makes an object the parent's child is in
// it.
func (d Desired) owns(live client.Object) bool {
	if d.Ownership == nil {
		return true
	}
	_, refers := d.Ownership["ownerReferences"]
	referenced := slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == d.Owner })
	return refers == referenced && has(live.GetLabels(), d.Ownership["labels"]) && has(live.GetAnnotations(), d.Ownership["annotations"])
}

// has tells whether a merge patch changes nothing in a map.
func has(live map[string]string, patch any) bool {
	wanted, _ := patch.(map[string]any)
	for key, value := range wanted {
		current, ok := live[key]
		if ok != (value != nil) || ok && current != value {
			return false
		}
	}
	return true
}
