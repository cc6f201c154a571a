package explore

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// shownObjects records what the snapshots that Sync got have shown: objects that are no children,
// missing children, and related objects.
type shownObjects struct {
	mu      sync.Mutex
	shown   map[childKey]bool             // objects that no snapshot may show, and whether one has
	missing map[childKey]bool             // children that each snapshot has to show, and whether one has not
	parents map[childKey]types.UID        // of these
	related map[types.UID][]client.Object // by parent: the related objects of its last snapshot
}

func newShownObjects() *shownObjects {
	return &shownObjects{
		shown: map[childKey]bool{}, missing: map[childKey]bool{}, parents: map[childKey]types.UID{}, related: map[types.UID][]client.Object{},
	}
}

// relatedOf returns the related objects that the last snapshot of a parent has shown.
func (c *shownObjects) relatedOf(parent types.UID) []client.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.related[parent]
}

// forbidObject adds an object that no snapshot may show.
func (c *shownObjects) forbidObject(key childKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown[key] = false
}

// wasShown reports whether a snapshot has shown an object.
func (c *shownObjects) wasShown(key childKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown[key]
}

// requireChild adds a child that each snapshot of its parent has to show to a Sync that looks at its kind.
func (c *shownObjects) requireChild(parent types.UID, key childKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing[key], c.parents[key] = false, parent
}

// wasMissing reports whether a snapshot was without a child.
func (c *shownObjects) wasMissing(key childKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.missing[key]
}

func (c *shownObjects) addSnapshot(snapshot testcontrol.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(snapshot.Related) > 0 || len(c.related[snapshot.Parent]) > 0 {
		c.related[snapshot.Parent] = snapshot.Related
	}
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

// dropObjects drops what a round that has ended has shown.
func (c *shownObjects) dropObjects() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.shown)
	clear(c.missing)
	clear(c.parents)
	clear(c.related)
}
