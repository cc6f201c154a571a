// Package testapi is a small API for the runtime's own tests: Site, which is
// namespaced, and Realm, which is cluster-scoped. crds.yaml holds their CRDs.
package testapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Version is the group and version of the kinds here.
var Version = schema.GroupVersion{Group: "test.opgen.dev", Version: "v1"}

// AddToScheme registers the kinds here.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(Version, new(Site), new(SiteList), new(Realm), new(RealmList))
	metav1.AddToGroupVersion(scheme, Version)
	return nil
}

// Site is a namespaced parent.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

// Realm is a cluster-scoped parent.
type Realm struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

// Spec is what a test wants its Sync to see.
type Spec struct {
	Text string `json:"text,omitempty"`
}

// Status is what a Sync writes.
type Status struct {
	Phase              string             `json:"phase,omitempty"`
	Unknown            string             `json:"unknown,omitempty"` // to the CRD
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// SiteList is a list of Sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// RealmList is a list of Realms.
type RealmList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Realm `json:"items"`
}
