package ownership

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Claim is the label and annotations by which another controller of this runtime, of this project
// or another, made an object its child.
type Claim struct {
	Keys
	Kind schema.GroupKind // of the parent, for messages; empty: an owner reference names it
	Name string           // of the parent
}

// Claims returns the claims of other controllers than the one with this label. A label alone is no
// claim, because labels get copied: its value has to be a UID, and either an annotation of the same
// group names the parent, or the UID is that of the object's controller.
func Claims(object client.Object, label string) (claims []Claim) {
	var controller types.UID
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil {
		controller = ref.UID
	}
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		group, name, below := strings.Cut(key, "/")
		if !below || key == label || !isUID(labels[key]) {
			continue
		}
		keys := KeysOf(group, name)
		kind, parent, named := parseParentName(annotations[keys.Parent])
		if named || labels[key] == string(controller) {
			claims = append(claims, Claim{keys, kind, parent})
		}
	}
	return claims
}

// parseParentName returns the kind and name of the parent in an annotation. It reports false if the
// annotation has another format.
func parseParentName(text string) (kind schema.GroupKind, name string, ok bool) {
	parts := strings.Split(text, "/")
	if len(parts) < 2 || len(parts) > 3 {
		return schema.GroupKind{}, "", false
	}
	kind = schema.ParseGroupKind(parts[0])
	inGroup := kind.Group == "" || len(validation.IsDNS1123Subdomain(kind.Group)) == 0
	isKind := len(validation.IsDNS1035Label(strings.ToLower(kind.Kind))) == 0 && kind.Kind[0] >= 'A' && kind.Kind[0] <= 'Z'
	if !inGroup || !isKind {
		return schema.GroupKind{}, "", false
	}
	for _, name := range parts[1:] {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return schema.GroupKind{}, "", false
		}
	}
	return kind, parts[len(parts)-1], true
}

// isUID reports whether a text is a UID as the API server generates them.
func isUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, r := range text {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (r == '-') || !dash && !strings.ContainsRune("0123456789abcdef", r) {
			return false
		}
	}
	return true
}
