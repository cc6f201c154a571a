package apply

import (
	"encoding/json"
	"strings"

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
	_, set := ownedPaths(live, manager)
	labels, labelled := complete(m.Labels, live.GetLabels(), set["f:metadata"]["f:labels"])
	annotations, annotated := complete(m.Annotations, live.GetAnnotations(), set["f:metadata"]["f:annotations"])
	return Metadata{labels, annotations}, labelled || annotated
}

// complete returns the set to apply, and whether it changes anything.
func complete(wanted, live map[string]string, owned paths) (map[string]string, bool) {
	own := map[string]string{}
	for step := range owned {
		if name, ok := strings.CutPrefix(step, "f:"); ok {
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
