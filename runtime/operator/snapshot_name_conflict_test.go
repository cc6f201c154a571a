package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestNameConflictByName(t *testing.T) {
	of := operator.NewSnapshot(configMapIn("a", "web"), configMapIn("b", "db")).In("a").WithNameConflicts("web", "db").WithNameConflicts("b/web")
	for name, want := range map[string]bool{"web": false, "db": true, "b/web": true, "b/db": false, "other": false} {
		if got := of.NameConflict(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// desireUnlessConflict desires a ConfigMap under the first of two names that nobody else has.
func desireUnlessConflict(_ context.Context, req *customRequest) (*Response, error) {
	want, name := new(Desired), "web"
	if req.Children.ConfigMaps.NameConflict(name) {
		name = "web-2"
	}
	if name == "web-2" && req.Children.ConfigMaps.NameConflict(name) {
		return &Response{Children: want, Status: &testapi.Status{Phase: "both conflict"}}, nil
	}
	want.ConfigMaps.Add(configMap(name, ""))
	return &Response{Children: want, Status: &testapi.Status{Phase: "has " + name}}, nil
}

// foreignConfigMap creates a ConfigMap without an owner.
func (c *custom) foreignConfigMap(name string) *corev1.ConfigMap {
	c.t.Helper()
	object := configMap(name, "theirs")
	object.Namespace = c.Namespace
	if err := c.Client.Create(c.t.Context(), object, client.FieldOwner("kubectl-create")); err != nil {
		c.t.Fatal(err)
	}
	return object
}

// sentFrom returns the requests about children and the status since the first n.
func (c *custom) sentFrom(n int) (sent []string) {
	for _, request := range c.Requests()[n:] {
		sent = append(sent, request.String())
	}
	return sent
}

// Sync knows in its first reconcile which names conflict, and no write of that is refused. A name that a
// child has costs nothing from then on.
func TestSyncKnowsNameConflicts(t *testing.T) {
	c := startCustom(t, desireUnlessConflict, nil)
	theirs := c.foreignConfigMap("web")
	before := c.Settled()
	site := c.site("web")
	c.phase(site, "has web-2")
	c.says(site, allReady)
	c.Settled()
	got := strings.Join(c.sentFrom(before), ", ")
	first := "get configmaps web: 200, get configmaps web-2: 404, create configmaps web-2: 201, patch sites/status web: 200"
	again, ok := strings.CutPrefix(got, first)
	if again = strings.ReplaceAll(again, ", get configmaps web: 200", ""); !ok || again != "" { // in each further reconcile
		t.Errorf("requests:\n%s, want\n%s", got, first)
	}
	if c.Get(theirs); len(theirs.OwnerReferences) > 0 || theirs.Data["key"] != "theirs" {
		t.Errorf("it is %+v", theirs)
	}

	before = c.Settled()
	c.Restart()
	c.Reconciled(site)
	c.Settled()
	for _, request := range c.sentFrom(before) {
		if request != "get configmaps web: 200" {
			t.Errorf("request after a restart: %s", request)
		}
	}
	c.phase(site, "has web-2")

	c.Delete(theirs)
	c.Reconciled(site)
	c.phase(site, "has web")
	c.Gone(named(&corev1.ConfigMap{}, "web-2"))
	c.Converged(site) // of a child, nobody has to ask
}

func TestAllNamesConflict(t *testing.T) {
	c := startCustom(t, desireUnlessConflict, nil)
	first, second := c.foreignConfigMap("web"), c.foreignConfigMap("web-2")
	site := c.site("web")
	c.phase(site, "both conflict")
	c.Delete(second)
	c.Reconciled(site)
	c.phase(site, "has web-2")
	if !c.Get(first) {
		t.Error("it is gone")
	}
}

// A child that has lost its marks is the parent's all the same, and so is one that another entry has.
func TestChildWithoutMarksIsNoNameConflict(t *testing.T) {
	c := startCustom(t, desireUnlessConflict, nil)
	site := c.site("web")
	c.phase(site, "has web")
	c.says(site, allReady)
	child := named(&corev1.ConfigMap{}, "web")
	for _, isDown := range []bool{false, true} {
		t.Run(fmt.Sprint("the operator is down: ", isDown), func(t *testing.T) {
			c.Settled()
			c.Get(child)
			uid := child.UID
			if isDown {
				c.Stop()
			}
			c.Update(child, func() { delete(child.Labels, c.group+"/site") })
			if isDown {
				c.Restart()
			}
			c.Reconciled(site)
			c.phase(site, "has web")
			if c.Get(child); child.UID != uid || child.Labels[c.group+"/site"] != string(site.UID) {
				t.Errorf("it is %s with %v", child.UID, child.Labels)
			}
			c.Converged(site)
		})
	}
}

// A Sync that gives up, since it was told that nobody has a name, is called again before that counts.
func TestTerminalErrorOfWhatSyncWasTold(t *testing.T) {
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		if !req.Children.ConfigMaps.NameConflict("theirs") {
			return nil, reconcile.TerminalError(errors.New("somebody has to create theirs"))
		}
		return &Response{Children: new(Desired), Status: &testapi.Status{Phase: "found"}}, nil
	}, nil)
	c.foreignConfigMap("theirs")
	before := c.Settled()
	site := c.site("web")
	c.phase(site, "found")
	c.Settled()
	if n := c.statusWrites(before); n != 1 {
		t.Errorf("the status was written %d times", n)
	}
}
