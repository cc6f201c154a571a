package explore

import (
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// childKey names a child of any parent.
type childKey struct {
	kind schema.GroupVersionKind
	name types.NamespacedName
}

// changingAuthor records the desired state of each child after Sync, and changes it on request.
type changingAuthor struct {
	mu      sync.Mutex
	desired map[childKey]testcontrol.SyncChild
	order   []childKey
	changes map[childKey]desiredChange
}

// desiredChange returns what is desired of a child in place of what Sync desires.
type desiredChange func(desired map[string]any) map[string]any

func newChangingAuthor() *changingAuthor {
	return &changingAuthor{desired: map[childKey]testcontrol.SyncChild{}, changes: map[childKey]desiredChange{}}
}

// changeContent records the desired state that Sync returned for a child, and returns what replaces it;
// nil: nothing does.
func (a *changingAuthor) changeContent(d testcontrol.SyncChild) map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := childKey{d.Kind, d.Name}
	if _, known := a.desired[key]; !known {
		a.order = append(a.order, key)
	}
	a.desired[key] = d
	if change := a.changes[key]; change != nil {
		return change(completeDesired(d))
	}
	return nil
}

// changeChild changes the desired state of a child from now on. A child without any field is not desired.
func (a *changingAuthor) changeChild(key childKey, change desiredChange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes[key] = change
}

// revisionTo returns a change that any kind accepts: an annotation with this value.
func revisionTo(value string) desiredChange {
	return func(desired map[string]any) map[string]any { return addRevision(desired, value) }
}

// desiredOf returns what is desired of a child by now, with the change.
func (a *changingAuthor) desiredOf(key childKey) map[string]any {
	content := a.contentOf(key)
	a.mu.Lock()
	defer a.mu.Unlock()
	if change := a.changes[key]; change != nil {
		return change(content)
	}
	return content
}

// contentOf returns what Sync has desired last of a child.
func (a *changingAuthor) contentOf(key childKey) map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return completeDesired(a.desired[key])
}

// childrenOf returns the children of a parent that Sync desires, in its order.
func (a *changingAuthor) childrenOf(parent types.UID) (children []testcontrol.SyncChild) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range a.order {
		if d := a.desired[key]; d.Parent == parent {
			d.Content = completeDesired(d)
			children = append(children, d)
		}
	}
	return children
}

// drop drops the records of a parent that is gone.
func (a *changingAuthor) drop(parent types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.order = slices.DeleteFunc(a.order, func(key childKey) bool {
		gone := a.desired[key].Parent == parent
		if gone {
			delete(a.desired, key)
			delete(a.changes, key)
		}
		return gone
	})
}

// completeDesired returns the desired state of a child with its identity, and with the data that
// the API server makes of a Secret's stringData.
func completeDesired(d testcontrol.SyncChild) map[string]any {
	content := runtime.DeepCopyJSON(d.Content)
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
	if d.Kind == (schema.GroupVersionKind{Version: "v1", Kind: "Secret"}) {
		truth.EncodeStringData(content)
	}
	return content
}

// revisionKey is the annotation that a changing author adds.
const revisionKey = "author.operatortest.opgen.dev/revision"

var revision = schemas.PathOf("metadata", "annotations", revisionKey)

// addRevision returns a desired state with the annotation of a changing author.
func addRevision(desired map[string]any, value string) map[string]any {
	content := runtime.DeepCopyJSON(desired)
	metadata := content["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations[revisionKey] = value
	return content
}

// isForeignKey reports whether a label or an annotation belongs to a writer of this package.
func isForeignKey(key string) bool { return strings.HasPrefix(key, foreignPrefix) }
