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

// plainCreate makes children by a plain create instead of an apply. That costs
// the API server less, and leaves defaults among what we own; upgrade deals
// with that once desired drops something.
const plainCreate = false

// create makes the child.
func (a *Applier) create(ctx context.Context, now time.Time, memo Memo, d Desired) (Outcome, error) {
	object, err := a.post(ctx, d)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return a.taken(ctx, now, memo, d)
	}
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Action: Created, Object: object}, a.remember(memo, d, object)
}

// post sends a new child. The resource version 1 is older than any object, so
// that an apply cannot touch one that exists already.
func (a *Applier) post(ctx context.Context, d Desired) (client.Object, error) {
	if !a.plain && !plainCreate {
		return a.patch(ctx, d, "resourceVersion", "1")
	}
	sent := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(d.complete("", ""))}
	if err := a.Client.Create(ctx, sent, client.FieldOwner(a.Manager)); err != nil {
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
