package testcontrol

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// SyncChild is what Sync desires of one child, as a test sees it.
type SyncChild struct {
	Parent   types.UID
	Kind     schema.GroupVersionKind
	Name     types.NamespacedName
	Update   declared.UpdateStrategy
	Orphaned bool           // it stays when its parent is deleted
	Manager  string         // the operator's field manager
	Content  map[string]any // what Sync says, without ownership; not to be changed
}

// Author sees what Sync desires of each child, in each reconcile, and returns what is
// desired in its place. Nil leaves it as it is; without any field, the child is not
// desired.
type Author func(SyncChild) map[string]any

// ReplacesDesired reports whether a test stands between Sync and what is desired.
func (c *Control) ReplacesDesired() bool { return c != nil && c.Author != nil }
