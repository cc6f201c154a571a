package apply

import (
	"context"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// Claim is the label and annotations by which another controller of this runtime made an object its
// child.
type Claim struct {
	Kind        schema.GroupKind // of the parent, for messages; empty where an owner reference names it
	Name        string           // of the parent
	Label       string
	Annotations []string
}

// mayAdopt reports whether the child's policy allows to adopt an object. isUnowned says that nobody
// else than the parent controls it.
func (d Desired) mayAdopt(live client.Object, isUnowned bool) bool {
	if live.GetDeletionTimestamp() != nil {
		return false
	}
	return d.Adopt == declared.AdoptForce || isUnowned && d.Adopt.AdoptsUnowned()
}

// adopt makes an object the parent's child. Fields that kubectl's commands or the managers of
// Applier.TakeOverFrom set count as applied by this field manager from now on, so that they are removed
// when the desired state drops them. The former controller loses the object, because an object has only
// one controller.
func (c *childApply) adopt(ctx context.Context, live client.Object) (Outcome, error) {
	if !c.desired.Update.Rules().RepairsDrift {
		return asAdopted(c.writeOwnership(ctx, live))
	}
	if c.desired.isAdoptedAsItIs() {
		return asAdopted(c.adoptAsItIs(ctx, live))
	}
	_, err := c.generate(live)
	if err != nil {
		return Outcome{}, err
	}
	if live, err = c.client.takeFromOwners(ctx, c.desired, live, c.applier); err != nil {
		return Outcome{}, err
	}
	return asAdopted(c.applyChange(ctx, live))
}

func asAdopted(outcome Outcome, err error) (Outcome, error) {
	if err == nil && outcome.Action == Updated {
		outcome.Action = Adopted
	}
	return outcome, err
}

// takeFromOwners takes an object from its controller, and its fields from the field managers of kubectl and
// of Applier.TakeOverFrom, which an apply cannot do. It returns ErrStale if the object has changed since it
// was read.
func (c childClient) takeFromOwners(ctx context.Context, d Desired, live client.Object, a *Applier) (client.Object, error) {
	metadata, claims := map[string]any{}, a.claimsOn(live)
	if len(claims) > 0 || metav1.GetControllerOf(live) != nil {
		metadata = d.ownershipPatch(live, claims)
	}
	managers := kubectlManagers(live)
	if len(managers) > 0 || managedfields.IsWrittenByAny(live, a.TakeOverFrom) {
		changed := live.DeepCopyObject().(client.Object)
		if err := csaupgrade.UpgradeManagedFields(changed, managers, c.manager); err != nil {
			return nil, err
		}
		entries, err := (&Takeover{before: changed}).takeEntries(changed.GetManagedFields(), a.TakeOverFrom, c.manager)
		if err != nil {
			return nil, err
		}
		changed.SetManagedFields(entries)
		if _, err := d.handOver(changed, c.manager); err != nil {
			return nil, err
		}
		metadata["managedFields"] = changed.GetManagedFields()
	}
	if len(metadata) == 0 {
		return live, nil
	}
	return c.patchMetadata(ctx, d.Key(), live, metadata)
}

// kubectlManagers returns the field managers of kubectl's commands that wrote an object without
// server-side apply.
func kubectlManagers(object client.Object) sets.Set[string] {
	managers := sets.New[string]()
	for _, entry := range object.GetManagedFields() {
		fromKubectl := strings.HasPrefix(entry.Manager, "kubectl") || entry.Manager == beforeFirstApply
		if fromKubectl && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" {
			managers.Insert(entry.Manager)
		}
	}
	return managers
}

// ownershipPatch returns the metadata, as a merge patch, that makes an object the parent's child
// and nobody else's. One write does both: in between, the former controller would take the object
// back.
func (d Desired) ownershipPatch(live client.Object, claims []Claim) map[string]any {
	var marks map[string]any
	if d.Ownership != nil {
		marks = d.Ownership()
	}
	metadata, labels, annotations := map[string]any{}, map[string]any{}, map[string]any{}
	for _, claim := range claims {
		maps.Copy(labels, nullEntries([]string{claim.Label}, live.GetLabels()))
		maps.Copy(annotations, nullEntries(claim.Annotations, live.GetAnnotations()))
	}
	for name, texts := range map[string]map[string]any{"labels": labels, "annotations": annotations} {
		own, _ := marks[name].(map[string]any)
		if maps.Copy(texts, own); len(texts) > 0 {
			metadata[name] = texts
		}
	}
	if d.CreatedAsKey != "" {
		annotations[d.CreatedAsKey] = ownership.ObjectName(client.ObjectKeyFromObject(live))
		metadata["annotations"] = annotations
	}
	references, _ := marks["ownerReferences"].([]any)
	references = slices.Clone(references)
	for _, ref := range live.GetOwnerReferences() {
		if ref.UID != d.Owner && !ptr.Deref(ref.Controller, false) {
			references = append(references, ref)
		}
	}
	metadata["ownerReferences"] = references
	return metadata
}

// writeOwnership makes an object the parent's child, applies what is applied in place, and changes
// nothing else in it. An apply would
// also drop all fields that this field manager has set before.
func (c *childApply) writeOwnership(ctx context.Context, live client.Object) (Outcome, error) {
	d := c.desired
	metadata, err := c.metadataPatch(ctx, live)
	if err != nil {
		return Outcome{}, err
	}
	answer, err := c.client.patchMetadata(ctx, d.Key(), live, metadata)
	if err != nil {
		return Outcome{}, err
	}
	c.state.setChild(&appliedChild{key: d.Key(), uid: live.GetUID(), digest: d.digest, hash: d.Hash, input: d.Input, record: d.record, leftOutdated: true})
	return Outcome{Action: Updated, Object: answer}, nil
}

// updateOwnership takes ownership of a child that has lost it, and applies what is applied in place. This counts as a repetition, unless
// the author wants to own the child in another way.
func (c *childApply) updateOwnership(ctx context.Context, live client.Object) (Outcome, error) {
	if last := c.state.childWithUID(c.desired.Key(), live); last == nil || last.input != c.desired.Input {
		return c.writeOwnership(ctx, live)
	}
	return c.repeat(ctx, live, c.writeOwnership)
}

// hasOwnership reports whether an object has the metadata that makes it the parent's child.
func (d Desired) hasOwnership(live client.Object) bool {
	if d.Ownership == nil {
		return true
	}
	marks := d.Ownership()
	return !d.namesAnother(live) && d.hasReference(live, marks["ownerReferences"]) && hasPatch(live.GetLabels(), marks["labels"]) && hasPatch(live.GetAnnotations(), marks["annotations"])
}

// hasReference reports whether an object's reference to the parent is the desired one. The version
// of the parent's kind counts, too: once it is no longer served, the garbage collector does not
// find the parent by it.
func (d Desired) hasReference(live client.Object, desired any) bool {
	references, _ := desired.([]any)
	i := slices.IndexFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == d.Owner })
	j := slices.IndexFunc(references, func(ref any) bool { return fieldValue(ref, "uid") == string(d.Owner) })
	if i < 0 || j < 0 {
		return i < 0 && j < 0
	}
	reference := live.GetOwnerReferences()[i]
	return equalValues(references[j], map[string]any{
		"apiVersion":         reference.APIVersion,
		"kind":               reference.Kind,
		"name":               reference.Name,
		"uid":                string(reference.UID),
		"controller":         ptr.Deref(reference.Controller, false),
		"blockOwnerDeletion": ptr.Deref(reference.BlockOwnerDeletion, false),
	})
}

// hasPatch reports whether a merge patch changes nothing in a map.
func hasPatch(live map[string]string, patch any) bool {
	entries, _ := patch.(map[string]any)
	for key, value := range entries {
		current, ok := live[key]
		if ok != (value != nil) || ok && current != value {
			return false
		}
	}
	return true
}
