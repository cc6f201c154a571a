package deployment

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is an object of a manifest, or of the cluster.
type Object = unstructured.Unstructured

// Action is what became of an object.
type Action string

// The actions. Configured is kubectl's word for an object that existed and was changed.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
	Deleted    Action = "deleted"
	Kept       Action = "kept"
)

// Change is what became, or with a dry run would become, of one object.
type Change struct {
	Action     Action `json:"action"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Reason     string `json:"reason,omitempty"` // why it was kept
}

func changeOf(o *Object, action Action, reason string) Change {
	return Change{action, o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName(), reason}
}

// Title names the object of the change: its kind, its namespace and its name.
func (c Change) Title() string { return title(c.Kind, c.Namespace, c.Name) }

func titleOf(o *Object) string { return title(o.GetKind(), o.GetNamespace(), o.GetName()) }

func title(kind, namespace, name string) string {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return kind + " " + name
}

// groupKindOfCRD returns which kind a CRD defines.
func groupKindOfCRD(crd *Object) schema.GroupKind {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

func isCRD(o *Object) bool {
	return o.GetKind() == "CustomResourceDefinition" && strings.HasPrefix(o.GetAPIVersion(), "apiextensions.k8s.io/")
}

func isNamespace(o *Object) bool { return o.GetKind() == "Namespace" && o.GetAPIVersion() == "v1" }
