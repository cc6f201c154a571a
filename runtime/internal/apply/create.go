package apply

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// create makes the child, by a plain create: that costs the API server less than
// an apply does, and refuses a name that is taken just as well. It leaves defaults
// among what we own; upgrade deals with that once desired drops something.
func (a *Applier) create(ctx context.Context, now time.Time, memo Memo, d Desired) (Outcome, error) {
	object, err := a.post(ctx, d)
	if apierrors.IsAlreadyExists(err) {
		return a.taken(ctx, now, memo, d)
	}
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Action: Created, Object: object}, a.remember(memo, d, object)
}

// post sends a new child.
func (a *Applier) post(ctx context.Context, d Desired) (client.Object, error) {
	object := a.New()
	if _, dynamic := object.(runtime.Unstructured); dynamic || !clientgoscheme.Scheme.Recognizes(d.Kind) {
		return a.postContent(ctx, d, object)
	}
	// Built-in kinds travel as protobuf, which costs both sides less.
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(d.complete("", ""), object, true); err != nil {
		return nil, apierrors.NewBadRequest(err.Error()) // as the API server refuses what it does not know
	}
	return object, a.Client.Create(ctx, object, client.FieldOwner(a.Manager))
}

// postContent sends a new child of a kind whose Go type, if it has one, need not
// set exactly the fields that are desired.
func (a *Applier) postContent(ctx context.Context, d Desired, answer client.Object) (client.Object, error) {
	sent := &unstructured.Unstructured{Object: d.complete("", "")}
	if err := a.Client.Create(ctx, sent, client.FieldOwner(a.Manager), client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return nil, err
	}
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
