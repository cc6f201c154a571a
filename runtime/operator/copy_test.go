package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// copyOf returns a copy of a child under another name, as kubectl get -o yaml and kubectl create make
// it.
func copyOf(child *corev1.ConfigMap, name string) *corev1.ConfigMap {
	copied := child.DeepCopy()
	copied.ObjectMeta = metav1.ObjectMeta{
		Namespace: child.Namespace, Name: name, Labels: child.Labels, Annotations: child.Annotations, OwnerReferences: child.OwnerReferences,
	}
	return copied
}

// saysOfCopy waits until an Event says that an object is a copy of a child.
func (c *custom) saysOfCopy(copied client.Object) {
	c.t.Helper()
	c.Eventually("an Event speaks of the copy "+copied.GetName(), func() error {
		for _, note := range c.notesOfCopies() {
			if strings.Contains(note, "/"+copied.GetName()+" ") {
				return nil
			}
		}
		return errors.New("it does not")
	})
}

// notesOfCopies returns what Events say of copies.
func (c *custom) notesOfCopies() (notes []string) {
	c.t.Helper()
	list := new(eventsv1.EventList)
	if err := c.Client.List(c.t.Context(), list, client.InNamespace(c.Namespace)); err != nil {
		c.t.Fatal(err)
	}
	for _, event := range list.Items {
		if event.Reason == "CopyOfChild" {
			notes = append(notes, event.Note)
		}
	}
	return notes
}

// startCopied starts an operator that desires two children, of which one is known by its owner reference and one by its
// annotation. shown is the most children that a Sync saw.
func startCopied(t *testing.T) (c *custom, site *testapi.Site, shown *atomic.Int64) {
	t.Helper()
	shown = new(atomic.Int64)
	c = startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		shown.Store(max(shown.Load(), int64(req.Children.ConfigMaps.Len())))
		want.ConfigMaps.Add(configMap("referred", "hello"))
		want.ConfigMaps.Add(configMap("annotated", "hello"), orphaned...)
	}), nil)
	site = c.site("web")
	c.says(site, allReady)
	return c, site, shown
}

func TestCopyOfAChildIsNotPruned(t *testing.T) {
	c, _, shown := startCopied(t)
	for _, name := range []string{"referred", "annotated"} {
		child := configMap(name, "")
		c.Exists(child)
		created := copyOf(child, name+"-created")
		c.makeAs("kubectl-create", created)
		applied := copyOf(child, name+"-applied")
		applied.APIVersion, applied.Kind = "v1", "ConfigMap"
		if err := c.Client.Patch(t.Context(), applied, client.Apply, client.FieldOwner("argocd")); err != nil { //nolint:staticcheck // an apply configuration has no managers
			t.Fatal(err)
		}
		c.saysOfCopy(created)
		c.saysOfCopy(applied)
		restored := copyOf(child, name+"-restored") // by a backup tool that restores managedFields, too
		c.Stop()
		c.makeAs("opgen/site."+c.group, restored)
		c.Update(restored, func() {
			restored.Data["key"] = "restored" // the API server ignores a change of times alone
			for i := range restored.ManagedFields {
				restored.ManagedFields[i].Time = &metav1.Time{Time: restored.CreationTimestamp.Add(-time.Hour)}
			}
		})
		c.Restart()
		c.saysOfCopy(restored)
		c.Settled()
		c.Exists(created, applied, restored, child)
	}
	if shown.Load() != 2 {
		t.Errorf("Sync saw %d children, want 2", shown.Load())
	}
}

// A copy of the one label that a child of another parent has does not make it this parent's.
func TestLabelCopiedOntoAChildOfAnotherParent(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		for child := range req.Children.ConfigMaps.All() { // keeps what it has, as for claims
			want.ConfigMaps.Keep(child.Name)
			if !strings.HasPrefix(child.Name, req.Parent.Name) {
				t.Errorf("%s has %s", req.Parent.Name, child.Name)
			}
		}
		if req.Children.ConfigMaps.Len() == 0 {
			want.ConfigMaps.Add(configMap(req.Parent.Name+"-claim", ""), orphaned...)
		}
	}), nil)
	first, second := c.site("first"), c.site("second")
	claim, other := configMap("first-claim", ""), configMap("second-claim", "")
	c.says(first, allReady)
	c.says(second, allReady)
	c.Exists(claim, other)
	c.Settled()
	for _, stopped := range []bool{false, true} {
		if stopped {
			c.Stop()
		}
		c.Update(claim, func() { claim.Labels[c.group+"/site"] = string(second.UID) })
		if stopped {
			c.Restart()
		}
		c.belongs(claim, first)
		c.Settled()
	}
}

// A copy has another name than it says. That tells it from a child when managedFields do not.
func TestCopyOfAChildIsKnownByItsName(t *testing.T) {
	c, site, shown := startCopied(t)
	for _, name := range []string{"referred", "annotated"} {
		child := configMap(name, "")
		c.Exists(child)
		cleared, restored, crowded := copyOf(child, name+"-cleared"), copyOf(child, name+"-restored"), copyOf(child, name+"-crowded")
		c.Stop()
		c.makeAs("kubectl-create", cleared)
		c.clearManagedFields(cleared)
		c.makeAs("opgen/site."+c.group, restored) // a backup tool patches the managedFields back, within the minute
		c.makeAs("kubectl-create", crowded)
		for i := range 12 { // more than the API server names
			c.writeAs(fmt.Sprintf("writer-%02d", i), crowded, func() { crowded.Data[fmt.Sprintf("key-%02d", i)] = "1" })
		}
		c.Restart()
		for _, copied := range []*corev1.ConfigMap{cleared, restored, crowded} {
			c.saysOfCopy(copied)
		}
		c.touch(site, name)
		c.Settled()
		c.Exists(cleared, restored, crowded, child)
	}
	if shown.Load() != 2 {
		t.Errorf("Sync saw %d children, want 2", shown.Load())
	}
}

// Whoever edits or removes the annotation by which a child names itself makes it no copy.
func TestChildThatIsMadeToNameAnotherStaysAChild(t *testing.T) {
	t.Parallel()
	for _, stopped := range []bool{true, false} {
		t.Run(fmt.Sprint("the operator is down: ", stopped), func(t *testing.T) {
			var made atomic.Int64
			c := startCustom(t, generatePassword(&made), nil)
			site, password := c.site("web"), configMap("password", "")
			c.says(site, allReady)
			c.Exists(password)
			names := c.group + "/created-as"
			if own := c.Namespace + "/password"; password.Annotations[names] != own {
				t.Fatalf("its annotations are %v", password.Annotations)
			}
			for _, edit := range []func(){func() { password.Annotations[names] = c.Namespace + "/other" }, func() { delete(password.Annotations, names) }} {
				c.Settled()
				if stopped {
					c.Stop()
				}
				c.Update(password, edit)
				if stopped {
					c.Restart()
				}
				c.Eventually("it does not name another", func() error {
					c.Get(password)
					if text, ok := password.Annotations[names]; ok && text != c.Namespace+"/password" {
						return errors.New("it names " + text)
					}
					return nil
				})
				c.Settled()
			}
			before := len(c.Requests())
			c.Update(password, func() { metav1.SetMetaDataAnnotation(&password.ObjectMeta, "note", "1") })
			c.Settled()
			if sent := c.requestsOf(before); len(sent) > 0 {
				t.Errorf("a child that does not name itself costs %v", sent)
			}
			c.Update(password, func() { password.Data["key"] = "edited" })
			c.Eventually("the next write puts it back", func() error {
				if c.Get(password); password.Annotations[names] != c.Namespace+"/password" {
					return fmt.Errorf("its annotations are %v", password.Annotations)
				}
				return nil
			})
			if made.Load() != 1 {
				t.Errorf("%d passwords were made", made.Load())
			}
		})
	}
}
