package operatortest

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// childKey names a child of any parent.
type childKey struct {
	kind schema.GroupVersionKind
	name types.NamespacedName
}

// changingAuthor stands between the Sync functions of an operator and what is desired:
// it knows what they desire of each child, and desires something else on request.
type changingAuthor struct {
	mu       sync.Mutex
	said     map[childKey]testcontrol.SyncChild
	order    []childKey
	replaced map[childKey]map[string]any
}

func newChangingAuthor() *changingAuthor {
	return &changingAuthor{said: map[childKey]testcontrol.SyncChild{}, replaced: map[childKey]map[string]any{}}
}

// desire is called with what Sync desires.
func (a *changingAuthor) desire(d testcontrol.SyncChild) map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := childKey{d.Kind, d.Name}
	if _, known := a.said[key]; !known {
		a.order = append(a.order, key)
	}
	a.said[key] = d
	return a.replaced[key]
}

// replace has this desired of a child in place of what Sync says. Without any field, the
// child is not desired.
func (a *changingAuthor) replace(key childKey, content map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replaced[key] = content
}

// of returns what Sync desires of the children of a parent, in its order.
func (a *changingAuthor) of(parent types.UID) (children []testcontrol.SyncChild) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range a.order {
		if d := a.said[key]; d.Parent == parent {
			d.Content = completed(d)
			children = append(children, d)
		}
	}
	return children
}

// forget drops what is known of a parent that is gone.
func (a *changingAuthor) forget(parent types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.order = slices.DeleteFunc(a.order, func(key childKey) bool {
		gone := a.said[key].Parent == parent
		if gone {
			delete(a.said, key)
			delete(a.replaced, key)
		}
		return gone
	})
}

// completed is what is desired of a child with its identity, and with the data that
// the API server makes of a Secret's stringData.
func completed(d testcontrol.SyncChild) map[string]any {
	content := deepCopy(d.Content).(map[string]any)
	content["apiVersion"], content["kind"] = d.Kind.GroupVersion().String(), d.Kind.Kind
	metadata, _ := content["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		content["metadata"] = metadata
	}
	metadata["name"] = d.Name.Name
	if d.Name.Namespace != "" {
		metadata["namespace"] = d.Name.Namespace
	}
	texts, isText := content["stringData"].(map[string]any)
	if d.Kind != (schema.GroupVersionKind{Version: "v1", Kind: "Secret"}) || !isText {
		return content
	}
	data, _ := content["data"].(map[string]any)
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range texts {
		plain, _ := text.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(plain))
	}
	delete(content, "stringData")
	content["data"] = data
	return content
}

// revisionKey is the annotation that a changing author adds.
const revisionKey = "author.operatortest.opgen.dev/revision"

var revision = path{{field: "metadata"}, {field: "annotations"}, {field: revisionKey}}

// revised is what is desired with one annotation more: a change that any kind takes.
func revised(desired map[string]any, value string) map[string]any {
	content := deepCopy(desired).(map[string]any)
	metadata := content["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations[revisionKey] = value
	return content
}

// isForeignKey reports whether a label or an annotation is that of a writer of this
// package.
func isForeignKey(key string) bool { return strings.HasPrefix(key, foreignPrefix) }
