package explore

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// shownChildren records what the snapshots that Sync got have shown: objects that are no children,
// and missing children.
type shownChildren struct {
	mu      sync.Mutex
	shown   map[childKey]bool      // objects that no snapshot may show, and whether one has
	missing map[childKey]bool      // children that each snapshot has to show, and whether one has not
	parents map[childKey]types.UID // of these
}

func newShownChildren() *shownChildren {
	return &shownChildren{shown: map[childKey]bool{}, missing: map[childKey]bool{}, parents: map[childKey]types.UID{}}
}

// forbidObject adds an object that no snapshot may show.
func (c *shownChildren) forbidObject(key childKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown[key] = false
}

// wasShown reports whether a snapshot has shown an object.
func (c *shownChildren) wasShown(key childKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown[key]
}

// requireChild adds a child that each snapshot of its parent has to show to a Sync that looks at its kind.
func (c *shownChildren) requireChild(parent types.UID, key childKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing[key], c.parents[key] = false, parent
}

// wasMissing reports whether a snapshot was without a child.
func (c *shownChildren) wasMissing(key childKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.missing[key]
}

func (c *shownChildren) addSnapshot(snapshot testcontrol.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, child := range snapshot.Children {
		if _, ok := c.shown[childKey{child.Kind, child.Name}]; ok {
			c.shown[childKey{child.Kind, child.Name}] = true
		}
	}
	for key, parent := range c.parents {
		isShown := slices.Contains(snapshot.Children, testcontrol.Child{Kind: key.kind, Name: key.name})
		if parent == snapshot.Parent && !isShown && slices.Contains(snapshot.Kinds, key.kind) {
			c.missing[key] = true
		}
	}
}

// dropObjects drops the objects and children of a round that has ended.
func (c *shownChildren) dropObjects() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.shown)
	clear(c.missing)
	clear(c.parents)
}
