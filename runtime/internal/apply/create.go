package apply

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// createChild creates the child, and returns the API server's answer.
func (c childClient) createChild(ctx context.Context, d Desired, options ...client.CreateOption) (client.Object, error) {
	options = append(options, client.FieldOwner(c.manager))
	if d.Source == nil || len(d.Generate) > 0 {
		return c.createFromContent(ctx, d, options...)
	}
	// The client sends Kubernetes' own types as protobuf, which costs both sides less.
	object := d.Source.DeepCopyObject().(client.Object)
	d.setMetadata(object)
	return object, c.Create(ctx, object, options...)
}

// setMetadata replaces the metadata of an object with the desired metadata.
func (d Desired) setMetadata(object client.Object) {
	metadata := unstructured.Unstructured{Object: d.contentWith("", "")}
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

// createFromContent creates the child from its desired fields. Kinds without one of Kubernetes'
// own Go types take this way, because their Go types may set other fields than the desired ones.
func (c childClient) createFromContent(ctx context.Context, d Desired, options ...client.CreateOption) (client.Object, error) {
	sent := &unstructured.Unstructured{Object: d.contentWith("", "")}
	if err := c.Create(ctx, sent, append(options, client.FieldValidation(metav1.FieldValidationStrict))...); err != nil {
		return nil, err
	}
	answer := c.newObject()
	if u, ok := answer.(*unstructured.Unstructured); ok {
		u.Object = sent.Object
		return u, nil
	}
	return answer, runtime.DefaultUnstructuredConverter.FromUnstructured(sent.Object, answer)
}

// metadataOf returns the metadata of an object, as a cache of metadata holds it.
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
