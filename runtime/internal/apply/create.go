package apply

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// create makes the child, by a plain create: that costs the API server less than
// an apply does, and refuses a name that is taken just as well. It leaves defaults
// among what we own; upgrade deals with that once desired drops something.
func (a *Applier) create(ctx context.Context, now time.Time, memo *Memo, d Desired) (Outcome, error) {
	if !memo.recreates(d) {
		return a.createNow(ctx, now, memo, d, nil)
	}
	return a.repeat(ctx, now, memo, d, nil, a.createNow)
}

func (a *Applier) createNow(ctx context.Context, now time.Time, memo *Memo, d Desired, _ client.Object) (Outcome, error) {
	object, err := a.post(ctx, d)
	if apierrors.IsAlreadyExists(err) {
		return a.taken(ctx, now, memo, d)
	}
	if err != nil {
		return Outcome{}, err
	}
	err = a.remember(now, memo, d, object)
	return Outcome{Action: Created, Object: object, Altered: memo.alteredOf(d)}, err
}

// post sends a new child.
func (a *Applier) post(ctx context.Context, d Desired) (client.Object, error) {
	if d.Source == nil {
		return a.postContent(ctx, d)
	}
	// Kubernetes' own types travel as protobuf, which costs both sides less.
	object := d.Source.DeepCopyObject().(client.Object)
	d.describe(object)
	return object, a.Client.Create(ctx, object, client.FieldOwner(a.Manager))
}

// describe gives an object the metadata that is desired, and no other.
func (d Desired) describe(object client.Object) {
	metadata := unstructured.Unstructured{Object: d.complete("", "")}
	object.SetName(d.Name.Name)
	object.SetNamespace(d.Name.Namespace)
	object.SetLabels(metadata.GetLabels())
	object.SetAnnotations(metadata.GetAnnotations())
	object.SetOwnerReferences(metadata.GetOwnerReferences())
	object.SetGenerateName("")
	object.SetResourceVersion("")
	object.SetUID("")
	object.SetManagedFields(nil)
	object.SetCreationTimestamp(metav1.Time{})
	object.SetDeletionTimestamp(nil)
	object.SetDeletionGracePeriodSeconds(nil)
	object.SetGeneration(0)
	object.SetSelfLink("")
}

// postContent sends the fields of a new child. Other Go types than Kubernetes' own
// need not set exactly those that are desired.
func (a *Applier) postContent(ctx context.Context, d Desired) (client.Object, error) {
	sent := &unstructured.Unstructured{Object: d.complete("", "")}
	if err := a.Client.Create(ctx, sent, client.FieldOwner(a.Manager), client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return nil, err
	}
	answer := a.New()
	if u, ok := answer.(*unstructured.Unstructured); ok {
		u.Object = sent.Object
		return u, nil
	}
	return answer, runtime.DefaultUnstructuredConverter.FromUnstructured(sent.Object, answer)
}

// metadataOf returns the metadata of an object, as a cache has it that holds no
// more.
func metadataOf(object client.Object) client.Object {
	if partial, ok := object.(*metav1.PartialObjectMetadata); ok {
		return partial
	}
	partial := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name:                       object.GetName(),
		Namespace:                  object.GetNamespace(),
		UID:                        object.GetUID(),
		ResourceVersion:            object.GetResourceVersion(),
		Generation:                 object.GetGeneration(),
		CreationTimestamp:          object.GetCreationTimestamp(),
		DeletionTimestamp:          object.GetDeletionTimestamp(),
		DeletionGracePeriodSeconds: object.GetDeletionGracePeriodSeconds(),
		Labels:                     object.GetLabels(),
		Annotations:                object.GetAnnotations(),
		OwnerReferences:            object.GetOwnerReferences(),
		Finalizers:                 object.GetFinalizers(),
		ManagedFields:              object.GetManagedFields(),
	}}
	partial.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	return partial
}
