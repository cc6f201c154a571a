package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// says waits until the Ready condition of the Rig one contains texts.
func (r *rigs) says(texts ...string) {
	r.t.Helper()
	r.Eventually("one says "+strings.Join(texts, ", "), func() error {
		rig := r.object("Rig", "one", nil)
		if err := r.Client.Get(r.t.Context(), client.ObjectKeyFromObject(rig), rig); err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(rig.Object, "status", "conditions")
		if text := fmt.Sprint(conditions...); !hasAll(text, texts) {
			return errors.New(text)
		}
		return nil
	})
}

func (r *rigs) get(object client.Object) client.Object {
	r.t.Helper()
	if err := r.Client.Get(r.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		r.t.Fatal(err)
	}
	return object
}

// A child that does not decode is neither created again nor pruned, and its parent says so.
func TestUnreadableChildHoldsItsParentOnly(t *testing.T) {
	r := startRigs(t, nil)
	r.put("Rig", "one", map[string]any{"port": int64(1)})
	r.put("Rig", "other", map[string]any{"port": int64(1)})
	r.has("one", 1)
	r.has("other", 1)
	before := r.get(r.object("Bolt", "one", nil)).GetUID()
	r.put("Bolt", "one", map[string]any{"port": int64(1), "ports": []any{int64(1), "two"}})
	r.says("Unreadable", "Bolt", "one", ".spec.ports[1]")
	for _, isRestarted := range []bool{false, true} {
		if isRestarted {
			r.Restart()
		}
		r.counts("Bolt", 1)
		port := int32(2)
		if isRestarted {
			port = 3
		}
		r.put("Rig", "one", map[string]any{"port": int64(port)})
		r.put("Rig", "other", map[string]any{"port": int64(port)})
		r.has("other", port)
		r.says("Unreadable", ".spec.ports[1]")
		if uid := r.get(r.object("Bolt", "one", nil)).GetUID(); uid != before {
			t.Fatal("the child was created again")
		}
	}
	r.put("Bolt", "one", map[string]any{"port": int64(1)})
	r.has("one", 3)
	r.counts("Bolt", 0)
	r.put("Bolt", "one", map[string]any{"port": "x"})
	r.says("Unreadable")
	if err := r.Client.Delete(t.Context(), r.object("Rig", "one", nil)); err != nil { // the garbage collector reads nothing
		t.Fatal(err)
	}
	r.Eventually("the parent and its children are gone", func() error {
		if err := r.Client.Get(t.Context(), client.ObjectKey{Namespace: r.Namespace, Name: "one"}, r.object("Bolt", "one", nil)); err == nil {
			return errors.New("the Bolt is there")
		}
		return nil
	})
	r.counts("Bolt", 0)
}

// A parent that reads an object which does not decode waits. Sync would take the object for missing.
func TestUnreadableRelatedObjectHoldsWhoReadsIt(t *testing.T) {
	r := startRigs(t, nil)
	r.put("Nut", "one", map[string]any{"port": int64(1)})
	r.put("Rig", "one", map[string]any{"port": int64(1)})
	r.put("Rig", "other", map[string]any{"port": int64(1)})
	r.has("one", 1)
	r.put("Nut", "one", map[string]any{"port": map[string]any{}})
	r.says("Unreadable", "Nut", ".spec.port")
	r.put("Rig", "other", map[string]any{"port": int64(2)})
	r.has("other", 2)
	r.Restart()
	r.put("Rig", "one", map[string]any{"port": int64(2)})
	r.put("Rig", "other", map[string]any{"port": int64(3)})
	r.has("other", 3)
	r.says("Unreadable")
	if err := r.Client.Delete(t.Context(), r.object("Nut", "one", nil)); err != nil {
		t.Fatal(err)
	}
	r.has("one", 2)
}

// Finalize is not called without the spec that says what is to be undone.
func TestDeletionOfAnUnreadableParentWaits(t *testing.T) {
	r := startRigs(t, func(r *rigs, _ *operatortest.Config) { r.finalizes = true })
	r.put("Rig", "one", map[string]any{"port": int64(1)})
	r.has("one", 1)
	r.put("Rig", "one", map[string]any{"port": true})
	r.tells("one", "Unreadable", "is not reconciled", ".spec.port")
	if err := r.Client.Delete(t.Context(), r.object("Rig", "one", nil)); err != nil {
		t.Fatal(err)
	}
	r.tells("one", "Unreadable", "is being deleted, and waits", "finalizer "+r.group)
	r.Restart()
	r.put("Rig", "other", map[string]any{"port": int64(1)})
	r.has("other", 1)
	r.has("one", 1)
	if n := r.finalized.Load(); n != 0 {
		t.Fatalf("Finalize was called %d times", n)
	}
	r.put("Rig", "one", map[string]any{"port": int64(2)})
	r.Eventually("the parent is gone", func() error {
		if err := r.Client.Get(t.Context(), client.ObjectKey{Namespace: r.Namespace, Name: "one"}, r.object("Rig", "one", nil)); err == nil {
			return errors.New("it is there")
		}
		return nil
	})
	if n := r.finalized.Load(); n != 1 {
		t.Fatalf("Finalize was called %d times", n)
	}
}

// The status of a parent that does not decode says nothing about whether the operator has worked on it: what a user
// has copied is not taken over, and not pruned.
func TestUnreadableParentAtTheStartIsNoNewOne(t *testing.T) {
	r := startRigs(t, nil)
	r.put("Rig", "one", map[string]any{"port": int64(1)})
	r.has("one", 1)
	copied := configMap("one", "")
	copied.Namespace = r.Namespace
	r.get(copied)
	copied.Name, copied.ResourceVersion, copied.UID, copied.ManagedFields = "one-backup", "", "", nil
	r.Create(copied)
	r.put("Rig", "one", map[string]any{"port": "x"})
	r.tells("one", "Unreadable")
	r.Restart()
	r.put("Rig", "other", map[string]any{"port": int64(1)})
	r.has("other", 1)
	r.put("Rig", "one", map[string]any{"port": int64(2)})
	r.has("one", 2)
	r.put("Rig", "one", map[string]any{"port": int64(3)})
	r.has("one", 3)
	r.Exists(copied)
}

// The author's code gets an error instead of an object without content.
func TestTheClientNamesAnUnreadableObject(t *testing.T) {
	r := startRigs(t, nil)
	r.put("Rig", "bad", map[string]any{"port": "x"})
	r.readAll.Store(true)
	r.put("Rig", "one", map[string]any{"port": int64(1)})
	r.says("Unreadable", "/bad does not decode", ".spec.port")
	r.put("Rig", "bad", map[string]any{"port": int64(1)})
	r.Eventually("its reader goes on", func() error {
		r.put("Rig", "one", map[string]any{"port": int64(1), "ports": []any{int64(len(r.Writes()))}})
		return r.Client.Get(t.Context(), client.ObjectKey{Namespace: r.Namespace, Name: "one"}, configMap("one", ""))
	})
}

// Without the operator's finalizer nothing else cleans up. That needs no content of the children, nor of the parent.
func TestLeakedChildrenOfAnUnreadableParentGoWhateverTheyAre(t *testing.T) {
	r := startRigs(t, func(r *rigs, _ *operatortest.Config) { r.ordered = true })
	r.put("Rig", "one", map[string]any{"port": int64(1)})
	r.has("one", 1)
	r.put("Bolt", "one", map[string]any{"port": "x"})
	r.says("Unreadable")
	r.put("Rig", "one", map[string]any{"port": "x"})
	r.tells("one", "Unreadable", "is not reconciled")
	r.Restart()
	r.counts("Rig", 1)
	r.counts("Bolt", 1)
	r.get(r.object("Bolt", "one", nil)) // is there: its parent exists
	rig := r.object("Rig", "one", nil)
	if err := r.Client.Delete(t.Context(), rig); err != nil {
		t.Fatal(err)
	}
	r.tells("one", "Unreadable", "is being deleted, and waits")
	r.get(r.object("Bolt", "one", nil))
	if err := r.Client.Patch(t.Context(), rig, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
	r.Eventually("the children are gone", func() error {
		for _, object := range []client.Object{r.object("Bolt", "one", nil), r.mapNamed("one")} {
			if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err == nil {
				return errors.New(object.GetObjectKind().GroupVersionKind().Kind + " is there")
			}
		}
		return nil
	})
}

func (r *rigs) mapNamed(name string) client.Object {
	made := configMap(name, "")
	made.Namespace = r.Namespace
	return made
}

// A user who deletes an unreadable parent with --cascade=orphan keeps its children.
func TestOrphaningDeletionOfAnUnreadableParentKeepsItsChildren(t *testing.T) {
	for name, ordered := range map[string]bool{"the garbage collector's": false, "the operator's": true} {
		t.Run(name, func(t *testing.T) {
			r := startRigs(t, func(r *rigs, _ *operatortest.Config) { r.ordered = ordered })
			r.put("Rig", "one", map[string]any{"port": int64(1)})
			r.has("one", 1)
			r.put("Rig", "one", map[string]any{"port": "x"})
			r.tells("one", "Unreadable", "is not reconciled")
			if err := r.Client.Delete(t.Context(), r.object("Rig", "one", nil), client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
				t.Fatal(err)
			}
			if ordered {
				r.tells("one", "Unreadable", "is being deleted, and waits")
				r.put("Rig", "one", map[string]any{"port": int64(1)})
			}
			r.Eventually("the parent is gone", func() error {
				if err := r.Client.Get(t.Context(), client.ObjectKey{Namespace: r.Namespace, Name: "one"}, r.object("Rig", "one", nil)); err == nil {
					return errors.New("it is there")
				}
				return nil
			})
			r.put("Rig", "other", map[string]any{"port": int64(1)})
			r.has("other", 1)
			r.Restart()
			r.put("Rig", "other", map[string]any{"port": int64(2)})
			r.has("other", 2)
			r.has("one", 1) // is there
		})
	}
}
