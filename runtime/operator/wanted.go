package operator

import (
	"encoding/json"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"
)

// source is what the author gave: an object or an apply configuration.
func (w Wanted) source() any {
	if w.Configuration != nil {
		return w.Configuration
	}
	return w.Object
}

// identity is what a desired child says of itself.
type identity struct {
	kind schema.GroupVersionKind // empty where it says nothing
	name types.NamespacedName
}

// input sums up what an author gave, so that a pass need not look closer at what
// is the same as in the last one. Zero: nothing is known.
type input uint64

// identityOf reads who a desired child is.
func identityOf(wanted Wanted) (identity, input, error) {
	hash := xxhash.New()
	if wanted.Configuration == nil {
		if err := json.NewEncoder(hash).Encode(wanted.Object); err != nil {
			return identity{}, 0, err
		}
		return identity{wanted.Object.GetObjectKind().GroupVersionKind(), client.ObjectKeyFromObject(wanted.Object)}, input(hash.Sum64()), nil
	}
	data, err := json.Marshal(wanted.Configuration)
	if err != nil {
		return identity{}, 0, err
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(data, &object.Object); err != nil {
		return identity{}, 0, err
	}
	return identity{object.GroupVersionKind(), client.ObjectKeyFromObject(&object)}, input(xxhash.Sum64(data)), nil
}

// with takes in what else decides about the content of a child.
func (i input) with(byReference bool, whenRemoved DeletionPolicy, update UpdateStrategy) uint64 {
	hash := xxhash.NewWithSeed(uint64(i))
	_, _ = hash.WriteString(string(whenRemoved) + "/" + string(update)) // it never fails
	if byReference {
		_, _ = hash.WriteString("/reference")
	}
	return hash.Sum64()
}

// source is the object that a plain create can send as it is: one of Kubernetes'
// own types. A Secret's stringData is not among what can be compared later.
func (k *childKind) source(wanted Wanted) client.Object {
	object := wanted.Object
	if _, dynamic := object.(runtime.Unstructured); object == nil || dynamic || !clientgoscheme.Scheme.Recognizes(k.GroupVersionKind) {
		return nil
	}
	if secret, ok := object.(*corev1.Secret); ok && len(secret.StringData) > 0 {
		return nil
	}
	return object
}
