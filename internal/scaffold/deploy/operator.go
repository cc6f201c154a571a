package deploy

import (
	"bytes"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/webhookmarkers"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// Operator is what the objects of an operator are made from.
type Operator struct {
	Name  string // of the project
	Watch spec.Watch
	// WatchNamespaces are the namespaces that it watches with spec.WatchNamespace; none: its own.
	WatchNamespaces []string
	Kinds           []Kind
	Rules           []spec.PolicyRule // from markers in the author's code
	APIs            []API
	Controllers     []Controller

	Webhooks     webhookmarkers.Webhooks // from markers in the author's code
	Converts     bool                    // objects between versions, as a webhook
	Certificates spec.Certificates       // of the webhook server
}

// Controller is a controller of the operator.
type Controller struct {
	Name  string // as metrics have it
	Group string // of its keys
}

// pruneLease returns the name of the Lease in which the controller counts prunes; see runtime/internal/reconcile.
func (c Controller) pruneLease() string { return c.Name + "." + c.Group + "-prunes" }

// API is a kind that the project defines.
type API struct {
	Group, Kind, Plural string
	HasScale            bool
}

// Kind is a kind that the operator reconciles.
type Kind struct {
	Group, Plural string
	Namespaced    bool
	HasStatus     bool
	Unreferenced  bool // no child carries an owner reference
	Children      []kinds.Child
	Related       []kinds.Related   // that Sync reads
	Rules         []spec.PolicyRule // for side effects of Sync
}

// Namespace is the namespace that the operator runs in.
func (o Operator) Namespace() string { return o.Name + "-system" }

// ManagerName is the name of the Deployment, its ServiceAccount and its roles.
func (o Operator) ManagerName() string { return o.Name + "-controller-manager" }

// Image is the operator's image in the Deployment, until someone sets another one.
func (o Operator) Image() string { return o.Name + ":latest" }

const (
	componentLabel   = "app.kubernetes.io/component"
	managerComponent = "controller-manager" // the operator's Pods
	metricsComponent = "metrics"
)

// labels returns the labels of every object.
func (o Operator) labels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       o.Name,
		"app.kubernetes.io/managed-by": "opgen",
	}
}

// podLabels are the labels of the operator's Pod.
func (o Operator) podLabels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name": o.Name,
		componentLabel:           managerComponent,
	}
}

func (o Operator) objectMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: o.labels()}
}

func (o Operator) metaIn(namespace, name string) metav1.ObjectMeta {
	meta := o.objectMeta(name)
	meta.Namespace = namespace
	return meta
}

// Marshal renders objects as one YAML file. It leaves out the status, the creation time, and an empty
// spec.
func Marshal(objects ...runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	for i, object := range objects {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		unstructured.RemoveNestedField(fields, "status")
		for _, path := range [][]string{
			{"metadata", "creationTimestamp"}, {"spec", "template", "metadata", "creationTimestamp"},
		} {
			unstructured.RemoveNestedField(fields, path...)
		}
		if rest, ok := fields["spec"].(map[string]any); ok && len(rest) == 0 {
			delete(fields, "spec")
		}
		document, err := yamltext.Marshal(fields)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(document)
	}
	return out.Bytes(), nil
}
