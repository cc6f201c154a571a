package operator_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A child that was recreated while the operator was down is as desired afterwards, whatever its hash says, and whoever has
// restored its managedFields.
func TestChildThatOthersRecreateDuringAStopIsAsDesired(t *testing.T) {
	t.Parallel()
	type test struct {
		restored bool // a backup tool restores the managedFields, too, of long ago
		applied  bool // the operator has applied the child, not only created it
		options  []operator.ChildOption
	}
	for name, test := range map[string]test{
		"made by hand":                        {},
		"made by hand, of one that changed":   {applied: true},
		"restored":                            {restored: true},
		"restored, of one that changed":       {restored: true, applied: true},
		"restored, without an owner":          {restored: true, applied: true, options: orphaned},
		"made by hand, and left as it is":     {options: []operator.ChildOption{operator.CreateOnly}},
		"restored, and left as it is":         {restored: true, options: []operator.ChildOption{operator.CreateOnly}},
		"made by hand, changed on a deletion": {options: []operator.ChildOption{operator.OnDelete}},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
				made := configMap("web", "generated")
				if test.applied && req.Parent.Spec.Text == "hello" {
					made.Data["dropped"] = "1"
				}
				want.ConfigMaps.Add(made, test.options...)
			}), nil)
			site, child := c.site("web"), configMap("web", "")
			c.says(site, allReady)
			c.Exists(child)
			if test.applied {
				c.touch(site, "dropped")
				c.hasData(child, "key=generated")
			}
			c.Settled()
			c.Stop()
			c.Get(child)
			entries := child.ManagedFields
			c.Delete(child)
			replaced := copyOf(child, "web")
			replaced.Data["key"], replaced.Data["extra"] = "restored", "1"
			c.makeAs("kubectl-create", replaced)
			if test.restored {
				for i := range entries {
					entries[i].Time = &metav1.Time{Time: replaced.CreationTimestamp.Add(-time.Hour)}
				}
				c.Update(replaced, func() { replaced.ManagedFields = entries })
			}
			before := len(c.Requests())
			c.Restart()
			c.says(site, allReady)
			c.hasEvent("TakenOver", "recreated")
			c.Settled()
			data := "key=generated"
			switch {
			case len(test.options) == 1: // changes do not reach it
				data = "extra=1,key=restored"
			case test.restored: // nobody owns it any more
				data = "extra=1,key=generated"
			}
			c.hasData(replaced, data)
			if sent := c.requestsOf(before); len(sent) > 10 {
				t.Errorf("it sent %v", sent)
			}
			if c.Get(child); child.UID != replaced.UID {
				t.Error("it was recreated once more")
			}
			before = c.Settled()
			c.Reconcile(site)
			if sent := c.requestsOf(before); len(sent) > 0 {
				t.Errorf("in sync, it sends %v", sent)
			}
		})
	}
}

// takeMarks writes all that makes an object a child in another name, as who removes it and then puts it back.
func (c *custom) takeMarks(child *corev1.ConfigMap) {
	c.t.Helper()
	c.Update(child, func() {
		metav1.SetMetaDataAnnotation(&child.ObjectMeta, "taken", rand.Text())
		for i := range child.ManagedFields {
			child.ManagedFields[i].Manager = "gitops"
		}
	})
}

// Somebody else writes all that makes an object a child. It stays the child.
func TestChildWhoseMarksOthersWriteStaysTheChild(t *testing.T) {
	t.Parallel()
	for _, stopped := range []bool{false, true} {
		for _, options := range [][]operator.ChildOption{nil, orphaned} {
			t.Run(fmt.Sprint("the operator is down: ", stopped, options), func(t *testing.T) {
				var isOver atomic.Bool // what cleans up deletes the child, too
				c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
					if req.Parent.Spec.Text != "hello" && req.Children.ConfigMaps.Len() != 1 && !isOver.Load() {
						t.Errorf("Sync sees %d children", req.Children.ConfigMaps.Len())
					}
					want.ConfigMaps.Add(configMap("web", req.Parent.Spec.Text), options...)
				}), nil)
				site, child := c.site("web"), configMap("web", "")
				c.says(site, allReady)
				c.hasData(child, "key=hello")
				c.Settled()
				if stopped {
					c.Stop()
				}
				uid := child.UID
				c.takeMarks(child)
				before := len(c.Requests())
				if stopped {
					c.Restart()
				}
				c.Settled()
				c.touch(site, "two")
				c.hasData(child, "key=two")
				c.says(site, allReady)
				if child.UID != uid {
					t.Error("it was recreated")
				}
				c.Settled()
				if sent := c.requestsOf(before); len(sent) > 10 {
					t.Errorf("it sent %v", sent)
				}
				before = c.Settled()
				c.Reconcile(site)
				if sent := c.requestsOf(before); len(sent) > 0 {
					t.Errorf("in sync, it sends %v", sent)
				}
				isOver.Store(true)
			})
		}
	}
}

// Somebody keeps writing all that makes an object a child. The operator takes it back less and less often.
func TestMarksThatAreTakenAgainAndAgainAreTakenBackLessOften(t *testing.T) {
	c, site, child := startGenerated(t)
	before := len(c.Requests())
	for range 30 {
		c.takeMarks(child)
		time.Sleep(300 * time.Millisecond)
	}
	writes := 0
	for _, request := range c.Requests()[before:] {
		if request.Resource == "configmaps" && request.Verb == "patch" {
			writes++
		}
	}
	if writes > 16 {
		t.Errorf("it wrote %d times", writes)
	}
	c.Eventually("Ready says it", func() error {
		c.Get(site)
		for _, condition := range site.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == metav1.ConditionFalse {
				return nil
			}
		}
		return errors.New("it does not")
	})
	if c.Get(child); child.DeletionTimestamp != nil {
		t.Error("it was deleted")
	}
}

// Somebody takes all annotations off a child and edits it. One write puts both right.
func TestChildWithoutAnyAnnotationIsRepaired(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		t.Run(fmt.Sprint("the operator is down: ", stopped), func(t *testing.T) {
			c, _, child := startGenerated(t)
			if stopped {
				c.Stop()
			}
			c.Update(child, func() { child.Annotations, child.Data["key"] = nil, "edited" })
			if stopped {
				c.Restart()
			}
			c.hasData(child, "key=generated")
			if text := child.Annotations[c.group+"/created-as"]; text != c.Namespace+"/web" {
				t.Errorf("it names %q", text)
			}
		})
	}
}
