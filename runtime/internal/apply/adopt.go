package apply

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

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

// Claim is what another controller of this runtime has written on an object to
// make it its child.
type Claim struct {
	Holder      string // the parent, for messages; empty where an owner reference names it
	Label       string
	Annotations []string
}

// claims are those of all controllers but ours.
func (a *Applier) claims(object client.Object) []Claim {
	if a.Claims == nil {
		return nil
	}
	return a.Claims(object)
}

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
func (a *Applier) adopt(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if d.Strategy == CreateOnly {
		return adopted(a.claim(ctx, now, memo, d, live))
	}
	live, err := a.prepare(ctx, d, live, clientSide(live))
	if err != nil {
		return Outcome{}, err
	}
	return adopted(a.change(ctx, now, memo, d, live))
}

func adopted(outcome Outcome, err error) (Outcome, error) {
	if err == nil && outcome.Action == Updated {
		outcome.Action = Adopted
	}
	return outcome, err
}

// prepare rewrites the parts of an object that an apply cannot: the field
// managers before, and whose it was. The write is refused if the object is no
// longer what was decided about.
func (a *Applier) prepare(ctx context.Context, d Desired, live client.Object, before sets.Set[string]) (client.Object, error) {
	metadata := map[string]any{}
	if claims := a.claims(live); len(claims) > 0 || metav1.GetControllerOf(live) != nil {
		metadata = d.takeOver(live, claims)
	}
	if len(before) > 0 {
		changed := live.DeepCopyObject().(client.Object)
		if err := csaupgrade.UpgradeManagedFields(changed, before, a.Manager); err != nil {
			return nil, err
		}
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

// takeOver is the metadata, as a merge patch, that makes an object the parent's
// child and nobody else's. It does so in one write: whoever had the object would
// take back what is nobody's for a moment.
func (d Desired) takeOver(live client.Object, claims []Claim) map[string]any {
	var ours map[string]any
	if d.Ownership != nil {
		ours = d.Ownership()
	}
	metadata, labels, annotations := map[string]any{}, map[string]any{}, map[string]any{}
	for _, claim := range claims {
		maps.Copy(labels, nulls([]string{claim.Label}, live.GetLabels()))
		maps.Copy(annotations, nulls(claim.Annotations, live.GetAnnotations()))
	}
	for name, texts := range map[string]map[string]any{"labels": labels, "annotations": annotations} {
		own, _ := ours[name].(map[string]any)
		if maps.Copy(texts, own); len(texts) > 0 {
			metadata[name] = texts
		}
	}
	references, _ := ours["ownerReferences"].([]any)
	references = slices.Clone(references)
	for _, ref := range live.GetOwnerReferences() {
		if ref.UID != d.Owner && !ptr.Deref(ref.Controller, false) {
			references = append(references, ref)
		}
	}
	metadata["ownerReferences"] = references
	return metadata
}

// TakeBack makes an object the parent's child again that has ceased to look like
// one: what d.Ownership says, and nothing else, so that the next pass observes it
// and deals with it as with any other child.
func (a *Applier) TakeBack(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	outcome, err := a.claim(ctx, now, memo, d, live)
	if a.Metadata && err == nil {
		outcome.Object = metadataOf(outcome.Object)
	}
	return outcome, err
}

// claim makes an object the parent's child and changes nothing else in it. An
// apply would also drop what this field manager has ever set there.
func (a *Applier) claim(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	answer, err := a.merge(ctx, d.Key(), live, d.takeOver(live, a.claims(live)))
	if err != nil {
		return Outcome{}, err
	}
	memo.set(&verified{key: d.Key(), uid: live.GetUID(), desired: d.state, stamp: d.Hash, input: d.Input, outdated: true})
	return Outcome{Action: Updated, Object: answer}, nil
}

// Own brings up to date what makes a child the parent's, and nothing else in it,
// which waits for its turn.
func (a *Applier) Own(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if d.owns(live) {
		return Outcome{Action: Unchanged, Object: live}, nil
	}
	outcome, err := a.attempt(ctx, now, memo, d, live, (*Applier).own)
	if a.Metadata && err == nil {
		outcome.Object = metadataOf(outcome.Object)
	}
	return outcome, err
}

// own claims a child that does not look like the parent's. That is no repetition if it
// is the author who wants to own it in another way.
func (a *Applier) own(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if last := memo.of(d.Key(), live); last == nil || last.input != d.Input {
		return a.claim(ctx, now, memo, d, live)
	}
	return a.repeat(ctx, now, memo, d, live, a.claim)
}

// owns tells whether the metadata that makes an object the parent's child is in
// it.
func (d Desired) owns(live client.Object) bool {
	if d.Ownership == nil {
		return true
	}
	ours := d.Ownership()
	return d.refers(live, ours["ownerReferences"]) && has(live.GetLabels(), ours["labels"]) && has(live.GetAnnotations(), ours["annotations"])
}

// refers reports whether an object refers to the parent as the desired references do:
// by the same version of the parent's kind, without which the garbage collector does
// not find the parent once that version is not served any more.
func (d Desired) refers(live client.Object, desired any) bool {
	references, _ := desired.([]any)
	i := slices.IndexFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == d.Owner })
	j := slices.IndexFunc(references, func(ref any) bool { return field(ref, "uid") == string(d.Owner) })
	if i < 0 || j < 0 {
		return i < 0 && j < 0
	}
	reference := live.GetOwnerReferences()[i]
	return equal(references[j], map[string]any{
		"apiVersion":         reference.APIVersion,
		"kind":               reference.Kind,
		"name":               reference.Name,
		"uid":                string(reference.UID),
		"controller":         ptr.Deref(reference.Controller, false),
		"blockOwnerDeletion": ptr.Deref(reference.BlockOwnerDeletion, false),
	})
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
