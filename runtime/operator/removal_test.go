package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// expectOrphaned waits until a child is orphaned, and fails the test if it is deleted.
func (c *custom) expectOrphaned(object client.Object) {
	c.t.Helper()
	c.Eventually(object.GetName()+" is orphaned", func() error {
		if !c.Get(object) || object.GetDeletionTimestamp() != nil {
			c.t.Fatalf("%s was deleted", object.GetName())
		}
		if marked(object.GetLabels(), c.group) || marked(object.GetAnnotations(), c.group) || len(object.GetOwnerReferences()) > 0 {
			return fmt.Errorf("it has labels %v, annotations %v, owners %v", object.GetLabels(), object.GetAnnotations(), object.GetOwnerReferences())
		}
		return nil
	})
}

// marked reports whether there is a key below this API group.
func marked(keys map[string]string, group string) bool {
	for key := range keys {
		if strings.HasPrefix(key, group+"/") {
			return true
		}
	}
	return false
}

// removals are the policies of ConfigMaps and Secrets in these tests.
func removals(configMaps, secrets operator.ChildKind) func(*definition) {
	return func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[0].WhenDropped, described[0].WhenDeleted = configMaps.WhenDropped, configMaps.WhenDeleted
			described[1].WhenDropped, described[1].WhenDeleted = secrets.WhenDropped, secrets.WhenDeleted
			return described
		}
	}
}

func TestOrphansStay(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "none" {
			return
		}
		want.ConfigMaps.Add(configMap("dropped", ""))
		want.Secrets.Add(named(&corev1.Secret{}, "deleted"))
		want.Services.Add(service("as-an-option"), orphaned...)
		want.Secrets.Add(named(&corev1.Secret{}, "gone"), operator.WhenDropped(operator.Delete), operator.WhenDeleted(operator.Delete))
	}), removals(operator.ChildKind{Policies: operator.Policies{WhenDropped: operator.Orphan}}, operator.ChildKind{Policies: operator.Policies{WhenDeleted: operator.Orphan}}))
	site := c.site("web")
	dropped, deleted, gone := configMap("dropped", ""), named(&corev1.Secret{}, "deleted"), named(&corev1.Secret{}, "gone")
	optional := service("as-an-option")
	c.Exists(dropped, deleted, gone, optional)

	c.touch(site, "none")
	c.expectOrphaned(dropped)
	c.Gone(deleted, gone) // a Secret that is dropped is deleted, whatever becomes of it when the parent goes
	c.expectOrphaned(optional)
	c.Settled()
}

func TestOrphansOutliveTheirParent(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("kept", ""))
		want.Services.Add(service("as-an-option"), orphaned...)
		want.Secrets.Add(named(&corev1.Secret{}, "gone"))
	}), removals(operator.ChildKind{Policies: operator.Policies{WhenDeleted: operator.Orphan}}, operator.ChildKind{}))
	site, kept, optional, gone := c.site("web"), configMap("kept", ""), service("as-an-option"), named(&corev1.Secret{}, "gone")
	c.Exists(kept, optional, gone)
	c.Settled()
	if len(kept.OwnerReferences)+len(optional.OwnerReferences) > 0 {
		t.Error("a child that is to outlive its parent refers to it, so that the garbage collector would delete it")
	}
	if requests := len(c.Requests()); requests != 5 {
		t.Errorf("%d requests, want one for each of three children, one for the finalizer and one for the status: %v", requests, c.Requests())
	}
	if err := c.Client.Delete(t.Context(), site, client.PropagationPolicy("Foreground")); err != nil {
		t.Fatal(err)
	}
	c.Gone(site)
	c.expectOrphaned(kept)
	c.expectOrphaned(optional)
	c.Gone(gone)
}

func TestChildrenLieInAllNamespacesIfTheSpecAllowsIt(t *testing.T) {
	var other string
	c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("here", req.Parent.Spec.Text))
		if req.Parent.Spec.Text != "here only" {
			there := configMap("there", req.Parent.Spec.Text)
			there.Namespace = other
			want.ConfigMaps.Add(there)
		}
	}), anywhere)
	home := &corev1.Namespace{}
	home.Name = c.Namespace + "-other"
	c.Create(home)
	other = home.Name
	site, here, there := c.site("web"), configMap("here", ""), configMap("there", "")
	there.Namespace = other
	c.Exists(here, there)
	c.says(site, allReady)
	if len(site.Finalizers) != 1 {
		t.Errorf("finalizers %v, want one: the garbage collector does not see children of another namespace", site.Finalizers)
	}

	// Drift and deletion are repaired there, too, and a restart forgets nothing.
	c.Restart()
	c.Delete(there)
	c.Exists(there)
	c.Update(there, func() { there.Data["key"] = "drifted" })
	c.Eventually("the drift is repaired", func() error {
		if c.Get(there); there.Data["key"] != "hello" {
			return errors.New("it is not")
		}
		return nil
	})

	c.touch(site, "here only")
	c.Gone(there)
	c.Eventually("the finalizer goes with the last such child", func() error {
		if c.Get(site); len(site.Finalizers) > 0 {
			return errors.New("it is there")
		}
		return nil
	})

	c.touch(site, "both")
	c.Exists(there)
	c.Delete(site)
	c.Gone(site, here, there)
}

func TestOrderedTeardownFollowsFinalize(t *testing.T) {
	stages := [][]string{{"a", "b"}, {"a"}, {}}
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		for _, name := range []string{"a", "b", "c"} {
			want.ConfigMaps.Add(configMap(name, ""))
		}
	}), func(d *definition) {
		d.Teardown = operator.TeardownOrdered
		d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
			left := max(0, req.Children.ConfigMaps.Len()-1)
			want := new(Desired)
			for _, name := range stages[2-min(left, 2)] {
				want.ConfigMaps.Add(configMap(name, ""))
			}
			return &Response{Children: want, Finalized: left == 0}, nil
		}
	})
	site, a, b, last := c.site("web"), configMap("a", ""), configMap("b", ""), configMap("c", "")
	c.Exists(a, b, last)
	c.says(site, allReady)
	if err := c.Client.Delete(t.Context(), site, client.PropagationPolicy("Foreground")); err != nil {
		t.Fatal(err)
	}
	c.Gone(site, a, b, last)
	var order []string
	for _, request := range c.Writes() {
		if request.Verb == "delete" {
			order = append(order, request.Name)
		}
	}
	if fmt.Sprint(order) != "[c b a]" {
		t.Errorf("deleted in the order %v, want c b a", order)
	}
}

func TestOrderedTeardownGoesKindByKind(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("first", ""))
		want.Secrets.Add(named(&corev1.Secret{}, "second"))
		want.Pods.Add(withFinalizer(pod("last", "web:1")))
	}), func(d *definition) { d.Teardown = operator.TeardownOrdered })
	site, first, second, last := c.site("web"), configMap("first", ""), named(&corev1.Secret{}, "second"), named(&corev1.Pod{}, "last")
	c.Exists(first, second, last)
	c.Delete(site)
	c.Eventually("the last kind goes first", func() error {
		if c.Get(last); last.DeletionTimestamp == nil {
			return errors.New("it is not being deleted")
		}
		return nil
	})
	c.Settled()
	c.Exists(first, second)
	c.Update(last, func() { last.Finalizers = nil })
	c.Gone(last, second, first, site)
}

// withFinalizer is an object that stays until its finalizer is taken off.
func withFinalizer(pod *corev1.Pod) *corev1.Pod {
	pod.Finalizers = []string{"test.opgen.dev/hold"}
	return pod
}

func TestKeptChildrenOutliveTheirParentOnceTheyAreToBeOrphaned(t *testing.T) {
	var orphan atomic.Bool
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		if orphan.Load() {
			want.ConfigMaps.Keep("web")
			return
		}
		want.ConfigMaps.Add(configMap("web", ""))
	}), func(d *definition) {
		if orphan.Load() {
			removals(operator.ChildKind{Policies: operator.Policies{WhenDeleted: operator.Orphan}}, operator.ChildKind{})(d)
		}
	})
	site, kept := c.site("web"), configMap("web", "")
	c.says(site, allReady)
	orphan.Store(true)
	c.Restart()
	c.Eventually("the parent waits for the release", func() error {
		if c.Get(site); len(site.Finalizers) == 0 {
			return errors.New("it has no finalizer")
		}
		return nil
	})
	c.Delete(site)
	c.Gone(site)
	c.expectOrphaned(kept)
}

func TestAnOptionReachesAChildThatNoChangeReaches(t *testing.T) {
	t.Parallel()
	for _, strategy := range []operator.UpdateStrategy{operator.CreateOnly, operator.OnDelete} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
				options := []operator.ChildOption{strategy}
				if strings.HasPrefix(req.Parent.Spec.Text, "orphan") {
					options = append(options, orphaned...)
				}
				want.ConfigMaps.Add(configMap("web", req.Parent.Spec.Text), options...)
			}), nil)
			site, child := c.site("web"), configMap("web", "")
			c.says(site, allReady)
			c.Exists(child)
			// becomes waits until the child is to be orphaned, or is not any more.
			becomes := func(text string, finalizers, owners int) {
				t.Helper()
				c.touch(site, text)
				c.Eventually("the child is owned otherwise", func() error {
					if c.Get(site); len(site.Finalizers) != finalizers {
						return fmt.Errorf("the parent's finalizers are %v", site.Finalizers)
					}
					if c.Get(child); len(child.OwnerReferences) != owners {
						return fmt.Errorf("the child's owners are %v", child.OwnerReferences)
					}
					return nil
				})
				c.Converged(site)
				if c.Get(child); child.Data["key"] != "hello" {
					t.Errorf("it holds %v", child.Data)
				}
			}
			becomes("orphan", 1, 0)
			becomes("as before", 0, 1)
			becomes("orphan again", 1, 0)
			c.Restart()
			c.Converged(site)
			c.Delete(site)
			c.Gone(site)
			c.expectOrphaned(child)
		})
	}
}
