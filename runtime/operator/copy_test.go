package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
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

func TestCopyOfAChildIsNotPruned(t *testing.T) {
	var shown atomic.Int64 // the most children that a Sync saw
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		shown.Store(max(shown.Load(), int64(req.Children.ConfigMaps.Len())))
		want.ConfigMaps.Add(configMap("referred", "hello"))
		want.ConfigMaps.Add(configMap("annotated", "hello"), orphaned...)
	}), nil)
	site := c.site("web")
	c.says(site, allReady)
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

// strips are the ways in which a child loses its marks.
var strips = map[string]func(child *corev1.ConfigMap, label string){
	"label":        func(child *corev1.ConfigMap, label string) { delete(child.Labels, label) },
	"label edited": func(child *corev1.ConfigMap, label string) { child.Labels[label] = "edited" },
	"reference":    func(child *corev1.ConfigMap, _ string) { child.OwnerReferences = nil },
	"annotation":   func(child *corev1.ConfigMap, _ string) { child.Annotations = nil },
	"all": func(child *corev1.ConfigMap, _ string) {
		child.Labels, child.Annotations, child.OwnerReferences = nil, nil, nil
	},
}

// A Sync that makes a password if there is none must never take one for absent that only has lost
// its marks.
func TestChildWithoutMarksIsNeverAbsent(t *testing.T) {
	t.Parallel()
	for name, strip := range strips {
		for _, options := range [][]operator.ChildOption{nil, orphaned} {
			if name == "annotation" && options == nil || name == "reference" && options != nil {
				continue
			}
			t.Run(fmt.Sprint(name, options), func(t *testing.T) {
				var made atomic.Int64
				c := startCustom(t, generatePassword(&made, options...), nil)
				site, password := c.site("web"), configMap("password", "")
				c.says(site, allReady)
				c.Exists(password)
				for range 2 {
					c.Settled()
					version := password.ResourceVersion
					c.Update(password, func() { strip(password, c.group+"/site") })
					c.Eventually("it has its marks again", func() error {
						if c.Get(password); password.Labels[c.group+"/site"] != string(site.UID) || password.ResourceVersion == version ||
							len(password.OwnerReferences)+len(password.Annotations) == 0 {
							return fmt.Errorf("it has %v", password.ObjectMeta)
						}
						return nil
					})
				}
				c.Settled()
				if made.Load() != 1 || password.Data["key"] != "1" {
					t.Errorf("%d passwords were made; it is %v", made.Load(), password.Data)
				}
			})
		}
	}
}

// generatePassword returns a Sync that makes a password if it has none, and a child that is another
// with each password.
func generatePassword(made *atomic.Int64, options ...operator.ChildOption) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		password, ok := req.Children.ConfigMaps.Get("password")
		if !ok {
			password = configMap("password", fmt.Sprint(made.Add(1)))
		}
		want.ConfigMaps.Add(configMap("password", password.Data["key"]), options...)
		want.ConfigMaps.Add(configMap("a-node", password.Data["key"]))
	})
}

// After a restart nobody knows that there was a child: the create finds it, and the rest of the
// answer of that Sync is not carried out.
func TestChildThatLostItsMarksDuringAStop(t *testing.T) {
	t.Parallel()
	for name, strip := range strips {
		for _, options := range [][]operator.ChildOption{nil, orphaned} {
			if name == "annotation" && options == nil || name == "reference" && options != nil || name == "all" {
				continue
			}
			t.Run(fmt.Sprint(name, options), func(t *testing.T) {
				var made atomic.Int64
				c := startCustom(t, generatePassword(&made, options...), nil)
				site, password, node := c.site("web"), configMap("password", ""), configMap("a-node", "")
				c.says(site, allReady)
				c.Exists(password, node)
				c.Settled()
				c.Stop()
				c.Update(password, func() { strip(password, c.group+"/site") })
				c.Restart()
				c.belongs(password, site)
				c.says(site, allReady)
				c.Settled()
				version := node.ResourceVersion
				if c.Get(node); password.Data["key"] != "1" || node.ResourceVersion != version {
					t.Errorf("the password is %v, and the node restarted: %v", password.Data, node.ResourceVersion != version)
				}
			})
		}
	}
}

func TestChildWithoutManagedFieldsStaysAChild(t *testing.T) {
	t.Parallel()
	for _, options := range [][]operator.ChildOption{nil, orphaned} {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			var made atomic.Int64
			c := startCustom(t, generatePassword(&made, options...), nil)
			site, password := c.site("web"), configMap("password", "")
			c.says(site, allReady)
			c.Exists(password)
			c.Settled()
			for _, stopped := range []bool{false, true} {
				if stopped {
					c.Stop()
				}
				c.clearManagedFields(password)
				c.Update(password, func() { metav1.SetMetaDataAnnotation(&password.ObjectMeta, "seen", fmt.Sprint(stopped)) })
				if stopped {
					c.Restart()
				}
				c.Settled()
			}
			if made.Load() != 1 {
				t.Errorf("%d passwords were made", made.Load())
			}
			c.setSync(customDesire(func(*customRequest, *Desired) {}))
			c.touch(site, "nothing")
			if options == nil {
				c.Gone(password)
			} else {
				c.expectOrphaned(password)
			}
		})
	}
}

// clearManagedFields does what the message of a name conflict advises.
func (c *custom) clearManagedFields(object client.Object) {
	c.t.Helper()
	patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`))
	if err := c.Client.Patch(c.t.Context(), object, patch); err != nil {
		c.t.Fatal(err)
	}
}

// A copy has another name than it says. That tells it from a child when managedFields do not.
func TestCopyOfAChildIsKnownByItsName(t *testing.T) {
	var shown atomic.Int64
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		shown.Store(max(shown.Load(), int64(req.Children.ConfigMaps.Len())))
		want.ConfigMaps.Add(configMap("referred", "hello"))
		want.ConfigMaps.Add(configMap("annotated", "hello"), orphaned...)
	}), nil)
	site := c.site("web")
	c.says(site, allReady)
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

// Somebody restores a child from a copy that does not say which child it was, under its name.
func TestCopyUnderTheNameOfAChildIsNotOverwritten(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("web", "generated"))
	}), nil)
	site, child := c.site("web"), configMap("web", "")
	c.says(site, allReady)
	c.Exists(child)
	c.Settled()
	c.Stop()
	c.Delete(child)
	restored := copyOf(child, "web")
	restored.Data["key"] = "restored"
	delete(restored.Annotations, c.group+"/created-as") // of an earlier release
	c.makeAs("kubectl-create", restored)
	c.Restart()
	c.Eventually("the name is taken", func() error { return hasNameConflict(c, site) })
	if message := site.Status.Conditions[0].Message; !strings.Contains(message, "kubectl-create wrote") || strings.Contains(message, "delete") {
		t.Errorf("the message is %q", message)
	}
	if c.Get(restored); restored.Data["key"] != "restored" {
		t.Errorf("it holds %v", restored.Data)
	}
	c.clearManagedFields(restored)
	c.says(site, allReady)
	if c.Get(restored); restored.Data["key"] != "generated" {
		t.Errorf("it holds %v", restored.Data)
	}
}

// Somebody recreates a child under its name, as to enlarge the volumes of a StatefulSet: with all that made it the child.
// Sync sees it, and then it is as desired.
func TestChildThatOthersRecreateIsTheChildAgain(t *testing.T) {
	t.Parallel()
	for _, options := range [][]operator.ChildOption{nil, orphaned, {operator.AdoptIfUnowned}} {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			var made atomic.Int64
			c := startCustom(t, generatePassword(&made, options...), nil)
			site, password, node := c.site("web"), configMap("password", ""), configMap("a-node", "")
			c.says(site, allReady)
			c.Exists(password, node)
			c.Settled()
			c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, c.group+"/paused", "true") })
			c.Settled()
			if err := c.Client.Delete(t.Context(), password, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
				t.Fatal(err)
			}
			c.Gone(password)
			replaced := copyOf(password, "password")
			replaced.Data["key"], replaced.Data["extra"] = "restored", "1"
			c.makeAs("kubectl-create", replaced)
			c.Update(site, func() { delete(site.Annotations, c.group+"/paused") })
			c.hasData(replaced, "key=restored")
			c.hasData(node, "key=restored")
			c.says(site, allReady)
			if c.Get(password); password.UID != replaced.UID {
				t.Error("it was recreated once more")
			}
			c.hasEvent("TakenOver", "which kubectl-create recreated")
			c.Settled()
			c.Restart()
			c.Settled()
			c.setSync(customDesire(func(_ *customRequest, want *Desired) {}))
			c.touch(site, "nothing")
			if options == nil {
				c.Gone(replaced)
			}
		})
	}
}

// A copy of another child has the name of a child that is desired later. It stays as it is.
func TestCopyOfAnotherChildIsNotTaken(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("web", "generated"))
		if req.Parent.Spec.Text == "more" {
			want.ConfigMaps.Add(configMap("backup", "generated"))
		}
	}), nil)
	site, child := c.site("web"), configMap("web", "")
	c.says(site, allReady)
	c.Exists(child)
	backup := copyOf(child, "backup")
	backup.Data["key"] = "theirs"
	c.makeAs("kubectl-create", backup)
	c.clearManagedFields(backup)
	c.touch(site, "more")
	c.saysPart(site, "remove its annotation "+c.group+"/created-as and clear its metadata.managedFields to make it the child")
	c.Settled()
	if c.Get(backup); backup.Data["key"] != "theirs" {
		t.Errorf("it holds %v", backup.Data)
	}
	c.Update(backup, func() { delete(backup.Annotations, c.group+"/created-as") })
	c.clearManagedFields(backup)
	c.says(site, allReady)
	c.hasData(backup, "key=generated")
}

// hasEvent waits until an Event with a reason says a text.
func (c *custom) hasEvent(reason, text string) {
	c.t.Helper()
	c.Eventually("an Event says "+text, func() error {
		list := new(eventsv1.EventList)
		if err := c.Client.List(c.t.Context(), list, client.InNamespace(c.Namespace)); err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Reason == reason && strings.Contains(event.Note, text) {
				return nil
			}
		}
		return errors.New("it does not")
	})
}
