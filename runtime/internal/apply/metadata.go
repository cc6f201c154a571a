package apply

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Metadata are the labels and annotations that a field manager wants an object
// to have. A nil map leaves those it has set alone; any other is the complete
// set of its own, and those of others stay.
type Metadata struct{ Labels, Annotations map[string]string }

// Over returns what is left to be applied to an object: the complete set of the
// manager's own labels and annotations. It reports false when the object has
// them already, and no others of the manager's.
func (m Metadata) Over(live client.Object, manager string) (Metadata, bool) {
	metadata, _ := fieldsOf(entryOf(live, manager, metav1.ManagedFieldsOperationApply, "")).field("metadata")
	ownLabels, _ := metadata.field("labels")
	ownAnnotations, _ := metadata.field("annotations")
	labels, labelled := complete(m.Labels, live.GetLabels(), ownLabels)
	annotations, annotated := complete(m.Annotations, live.GetAnnotations(), ownAnnotations)
	return Metadata{labels, annotations}, labelled || annotated
}

// complete returns the set to apply, and whether it changes anything.
func complete(wanted, live map[string]string, owned fieldset) (map[string]string, bool) {
	own := map[string]string{}
	for _, step := range owned {
		if name, ok := strings.CutPrefix(step.name, "f:"); ok {
			own[name] = live[name]
		}
	}
	if wanted == nil {
		return own, false
	}
	for name, value := range wanted {
		if current, ok := live[name]; !ok || current != value {
			return wanted, true
		}
	}
	for name := range own {
		if _, ok := wanted[name]; !ok {
			return wanted, true
		}
	}
	return wanted, false
}

// Body is the patch that applies the metadata to an object, and to no other of
// its name.
func (m Metadata) Body(apiVersion, kind string, live client.Object) ([]byte, error) {
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
