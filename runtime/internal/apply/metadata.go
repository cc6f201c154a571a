package apply

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// Metadata are the labels and annotations that a field manager wants an object to have. A nil map
// keeps those that it has set. Any other map replaces all its own. Those of other managers stay.
type Metadata struct{ Labels, Annotations map[string]string }

// CompleteFor returns the metadata to apply to an object: all labels and annotations of the
// manager. It reports false if the object has exactly them already.
func (m Metadata) CompleteFor(live client.Object, manager string) (Metadata, bool) {
	owned := managedfields.Parse(managedfields.Entry(live, manager, metav1.ManagedFieldsOperationApply, ""))
	metadata := owned.WithPrefix(fieldpath.FieldNameElement("metadata"))
	labels, labelled := completeSet(m.Labels, live.GetLabels(), metadata.WithPrefix(fieldpath.FieldNameElement("labels")))
	annotations, annotated := completeSet(m.Annotations, live.GetAnnotations(), metadata.WithPrefix(fieldpath.FieldNameElement("annotations")))
	return Metadata{labels, annotations}, labelled || annotated
}

// completeSet returns all labels or annotations of the manager, and whether applying them changes
// anything.
func completeSet(desired, live map[string]string, owned *fieldpath.Set) (map[string]string, bool) {
	own := map[string]string{}
	for element := range owned.Members.All() {
		if name := element.FieldName; name != nil {
			own[*name] = live[*name]
		}
	}
	if desired == nil {
		return own, false
	}
	for name, value := range desired {
		if current, ok := live[name]; !ok || current != value {
			return desired, true
		}
	}
	for name := range own {
		if _, ok := desired[name]; !ok {
			return desired, true
		}
	}
	return desired, false
}

// PatchBody returns the patch that applies the metadata to this object. The API server refuses it
// for another object of the name.
func (m Metadata) PatchBody(apiVersion, kind string, live client.Object) ([]byte, error) {
	metadata := map[string]any{"name": live.GetName(), "uid": live.GetUID()}
	if namespace := live.GetNamespace(); namespace != "" {
		metadata["namespace"] = namespace
	}
	for name, set := range map[string]map[string]string{"labels": m.Labels, "annotations": m.Annotations} {
		if len(set) > 0 {
			metadata[name] = set
		}
	}
	return json.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata})
}
