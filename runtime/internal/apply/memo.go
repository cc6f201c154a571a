package apply

import (
	"crypto/sha256"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key names a child.
type Key struct {
	Kind schema.GroupVersionKind
	Name types.NamespacedName
}

// String is the child as a message names it: "Pod default/web".
func (k Key) String() string {
	if k.Name.Namespace == "" {
		return k.Kind.Kind + " " + k.Name.Name
	}
	return k.Kind.Kind + " " + k.Name.String()
}

// Memo remembers of each child of one parent what was last known to be right.
// It is for one goroutine at a time.
type Memo map[Key]verified

// verified is a state of a child that fulfils a desired state.
type verified struct {
	uid     types.UID
	desired string            // hash of the desired state
	version string            // resource version
	owned   [sha256.Size]byte // what we own in it
}

// Keep forgets every child but those in keys.
func (m Memo) Keep(keys map[Key]bool) {
	maps.DeleteFunc(m, func(key Key, _ verified) bool { return !keys[key] })
}

// verdict is what the memo says about a child.
type verdict int

const (
	converged verdict = iota
	changed           // the desired state is another, or unknown
	drifted           // someone changed what we own
)

// judge compares a child with its desired state without any call.
func (m Memo) judge(d Desired, live client.Object, manager string) (verdict, error) {
	key := d.Key()
	last, known := m[key]
	known = known && last.uid == live.GetUID()
	if known && last.desired != d.Hash {
		return changed, nil
	}
	if known && last.version == live.GetResourceVersion() {
		return converged, nil
	}
	if !known && !d.matches(live, manager) {
		return changed, nil
	}
	owned, err := ownedHash(live, manager)
	if err != nil {
		return changed, err
	}
	if known && owned != last.owned {
		return drifted, nil
	}
	m[key] = verified{live.GetUID(), d.Hash, live.GetResourceVersion(), owned}
	return converged, nil
}

// remember records that a child fulfils its desired state now.
func (m Memo) remember(d Desired, live client.Object, manager string) error {
	owned, err := ownedHash(live, manager)
	if err != nil {
		return err
	}
	m[d.Key()] = verified{live.GetUID(), d.Hash, live.GetResourceVersion(), owned}
	return nil
}

// matches tells whether live is as desired, compared field by field at the
// paths that we own. A value that the API server normalises makes it false;
// but where live carries the hash of this very desired state, that we still
// own an atomic value says that nobody has changed it.
func (d Desired) matches(live client.Object, manager string) bool {
	_, set := ownedPaths(live, manager)
	content, err := contentOf(live)
	if set == nil || err != nil {
		return false
	}
	desired, metadata := maps.Clone(d.content), maps.Clone(d.content["metadata"].(map[string]any))
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(desired, name)
	}
	for _, name := range []string{"name", "namespace"} {
		delete(metadata, name)
	}
	if len(metadata) > 0 {
		desired["metadata"] = metadata
	}
	return covered(desired, content, set, d.HashKey != "" && live.GetAnnotations()[d.HashKey] == d.Hash)
}
