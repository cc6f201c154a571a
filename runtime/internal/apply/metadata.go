package apply

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Metadata are the labels and annotations that a field manager wants an object to have. A nil map
// keeps those that it has set. Any other map replaces all its own. Those of other managers stay.
type Metadata struct{ Labels, Annotations map[string]string }

// CompleteFor returns the metadata to apply to an object: all labels and annotations of the
// manager. It reports false if the object has exactly them already.
func (m Metadata) CompleteFor(live client.Object, manager string) (Metadata, bool) {
	metadata, _ := parseFieldset(managedEntry(live, manager, metav1.ManagedFieldsOperationApply, "")).belowField("metadata")
	ownLabels, _ := metadata.belowField("labels")
	ownAnnotations, _ := metadata.belowField("annotations")
	labels, labelled := completeSet(m.Labels, live.GetLabels(), ownLabels)
	annotations, annotated := completeSet(m.Annotations, live.GetAnnotations(), ownAnnotations)
	return Metadata{labels, annotations}, labelled || annotated
}

// completeSet returns all labels or annotations of the manager, and whether applying them changes
// anything.
func completeSet(desired, live map[string]string, owned fieldset) (map[string]string, bool) {
	own := map[string]string{}
	for _, step := range owned {
		if name, ok := strings.CutPrefix(step.name, "f:"); ok {
			own[name] = live[name]
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
