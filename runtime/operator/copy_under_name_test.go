package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// startGenerated starts an operator that desires the ConfigMap web, and waits until it is there.
func startGenerated(t *testing.T) (c *custom, site *testapi.Site, child *corev1.ConfigMap) {
	t.Helper()
	c = startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("web", "generated"))
	}), nil)
	site, child = c.site("web"), configMap("web", "")
	c.says(site, allReady)
	c.Exists(child)
	c.Settled()
	return c, site, child
}

// Somebody restores a child from a copy that does not say which child it was, under its name.
func TestCopyUnderTheNameOfAChildIsNotOverwritten(t *testing.T) {
	c, site, child := startGenerated(t)
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
