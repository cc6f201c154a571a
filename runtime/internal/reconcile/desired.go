package reconcile

import (
	"encoding/json"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// identity is the kind and name that a desired child states.
type identity struct {
	kind schema.GroupVersionKind // empty where it states none
	name types.NamespacedName
}

// inputHash is a hash of a desired child as the author gave it. A child with the hash of the
// last reconcile is not converted again. Zero: unknown.
type inputHash uint64

// readIdentity returns the identity and the hash of a desired child.
func readIdentity(desired declared.DesiredChild) (identity, inputHash, error) {
	hash := xxhash.New()
	if desired.Configuration == nil {
		if err := json.NewEncoder(hash).Encode(desired.Object); err != nil {
			return identity{}, 0, err
		}
		return identity{desired.Object.GetObjectKind().GroupVersionKind(), client.ObjectKeyFromObject(desired.Object)}, inputHash(hash.Sum64()), nil
	}
	data, err := json.Marshal(desired.Configuration)
	if err != nil {
		return identity{}, 0, err
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(data, &object.Object); err != nil {
		return identity{}, 0, err
	}
	return identity{object.GroupVersionKind(), client.ObjectKeyFromObject(&object)}, inputHash(xxhash.Sum64(data)), nil
}

// with returns a hash that includes the policies, what is generated and applied in place, whether the child gets an owner
// reference, and the entry of its kind that it belongs to.
func (i inputHash) with(desired declared.DesiredChild, byReference bool, entry string) uint64 {
	hash := xxhash.NewWithSeed(uint64(i))
	_, _ = fmt.Fprintf(hash, "%d %t %s %+q %q", desired.Policies.Hash(), byReference, entry, fmt.Sprint(desired.Generate), desired.InPlace) // it never fails
	return hash.Sum64()
}

// creatableObject returns the object if a plain create can send it as it is, or nil: it has
// one of Kubernetes' own types. A Secret's stringData cannot be compared later.
func (kind *childKind) creatableObject(desired declared.DesiredChild) client.Object {
	object := desired.Object
	if _, dynamic := object.(runtime.Unstructured); object == nil || dynamic || !clientgoscheme.Scheme.Recognizes(kind.GroupVersionKind) {
		return nil
	}
	if secret, ok := object.(*corev1.Secret); ok && len(secret.StringData) > 0 {
		return nil
	}
	return object
}
