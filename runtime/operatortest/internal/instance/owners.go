package instance

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// limitedUser may create ConfigMaps in each namespace, and may not set finalizers on everything. Each API server with
// RBAC has this user.
const limitedUser = "system:serviceaccount:kube-system:root-ca-cert-publisher"

// awaitOwners waits until the API server lets a user with limited permissions set owner references to the kinds of
// CRDs. Its admission plugin OwnerReferencesPermissionEnforcement reads the list of kinds twice a minute, and refuses
// owner references to any other kind. Kubernetes asks no such thing of users who may do everything.
func (o *Operator) awaitOwners(paths []string) {
	o.T.Helper()
	limited := o.clientAs(limitedUser)
	for _, path := range paths {
		crds, err := ReadCRDs(path)
		if err != nil {
			o.T.Fatal(err)
		}
		for _, crd := range crds {
			o.awaitOwner(limited, crd)
		}
	}
}

// awaitOwner is awaitOwners for one CRD, which no other test of this process has to wait for.
func (o *Operator) awaitOwner(limited client.Client, crd *apiextensionsv1.CustomResourceDefinition) {
	o.T.Helper()
	known := o.server.crd(crd.Name)
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.isOwner {
		return
	}
	o.Eventually("the API server knows "+crd.Spec.Names.Kind+" as an owner", func() error { return o.tryOwner(limited, crd) })
	known.isOwner = true
}

// tryOwner returns an error if the API server does not know one of the kinds of a CRD when it looks at an owner
// reference.
func (o *Operator) tryOwner(limited client.Client, crd *apiextensionsv1.CustomResourceDefinition) error {
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		blocks := true
		owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: "owned", OwnerReferences: []metav1.OwnerReference{{
			APIVersion: schema.GroupVersion{Group: crd.Spec.Group, Version: version.Name}.String(),
			Kind:       crd.Spec.Names.Kind, Name: "owner", UID: "1", BlockOwnerDeletion: &blocks,
		}}}}
		err := limited.Create(o.T.Context(), owned, client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), "cannot find RESTMapping") {
			return errors.New("it does not")
		}
	}
	return nil
}
