package operator_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// elsewhere makes a namespace beside the test's own, where no child can refer to
// its parent.
func (c *custom) elsewhere() string {
	c.t.Helper()
	namespace := named(&corev1.Namespace{}, c.Namespace+"-other")
	c.Create(namespace)
	return namespace.Name
}

// distant is a ConfigMap in a namespace.
func distant(namespace, name, value string) *corev1.ConfigMap {
	object := configMap(name, value)
	object.Namespace = namespace
	return object
}

// unlabel takes off a child the label by which its parent's operator knows it.
func (c *custom) unlabel(child *corev1.ConfigMap) {
	c.t.Helper()
	c.Update(child, func() { delete(child.Labels, c.group+"/site") })
}

// belongs waits until a child carries the UID of a Site.
func (c *custom) belongs(child client.Object, site *testapi.Site) {
	c.t.Helper()
	c.Eventually(child.GetName()+" is the Site's", func() error {
		if c.Get(child); child.GetLabels()[c.group+"/site"] != string(site.UID) {
			return fmt.Errorf("its labels are %v", child.GetLabels())
		}
		return nil
	})
}

// forceAway deletes a Site and takes its finalizers off in the operator's place,
// which is stopped, or does not write since the Site is paused.
func (c *custom) forceAway(site *testapi.Site) {
	c.t.Helper()
	c.Delete(site)
	c.Update(site, func() { site.Finalizers = nil })
	c.Gone(site)
}

func TestLabelThatWasRemovedDuringAStopIsRestored(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]operator.ChildOption{
		"InPlace":        nil,
		"Recreate":       {operator.Recreate},
		"OnDelete":       {operator.OnDelete},
		"CreateOnly":     {operator.CreateOnly},
		"RollingInPlace": {operator.RollingInPlace},
		"Orphan":         orphaned,
	} {
		t.Run(name, func(t *testing.T) {
			var other string
			c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
				if other != "" {
					want.ConfigMaps.Add(distant(other, "there", req.Parent.Spec.Text), options...)
				}
			}), anywhere)
			other = c.elsewhere()
			site, child := c.site("web"), distant(other, "there", "")
			c.says(site, allReady)
			c.Exists(child)
			uid := child.UID
			for _, text := range []string{"hello", "changed"} {
				c.Settled()
				c.Stop()
				c.unlabel(child)
				c.touch(site, text)
				c.Restart()
				c.belongs(child, site)
				if text == "hello" || name != "OnDelete" { // else the child waits for its deletion
					c.says(site, allReady)
				}
				c.Settled()
			}
			c.Get(child)
			kept := name == "OnDelete" || name == "CreateOnly"
			if expected := map[bool]string{true: "hello", false: "changed"}[kept]; child.Data["key"] != expected {
				t.Errorf("it holds %s, want %s", child.Data["key"], expected)
			}
			if name != "Recreate" && child.UID != uid {
				t.Error("it was recreated")
			}
		})
	}
}

func TestLabelOfAnotherParentIsNotRestored(t *testing.T) {
	var other string
	c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		if other != "" {
			want.ConfigMaps.Add(distant(other, "there", req.Parent.Name), operator.CreateOnly)
		}
	}), anywhere)
	other = c.elsewhere()
	paused := c.group + "/paused" // so that each comes when it is to come
	second := site("second")
	second.Labels, second.Annotations = map[string]string{c.group: ""}, map[string]string{paused: "true"}
	c.Create(second)
	site, child := c.site("web"), distant(other, "there", "")
	c.says(site, allReady)
	c.Exists(child)
	c.Settled()
	c.Stop()
	c.unlabel(child)
	c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, paused, "true") })
	c.Update(second, func() { delete(second.Annotations, paused) })
	c.Restart()
	c.Eventually("the name is taken", func() error {
		return hasNameConflict(c, second)
	})
	c.Update(site, func() { delete(site.Annotations, paused) })
	c.belongs(child, site)
	if child.Data["key"] != "web" {
		t.Errorf("it holds %s", child.Data["key"])
	}
}

func TestLabelOfAnEarlierParentIsNotRestored(t *testing.T) {
	var other string
	c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		if other != "" {
			want.ConfigMaps.Add(distant(other, "there", req.Parent.Spec.Text))
		}
	}), anywhere)
	other = c.elsewhere()
	site, child := c.site("web"), distant(other, "there", "")
	c.says(site, allReady)
	c.Exists(child)
	c.Settled()
	c.Stop()
	c.unlabel(child)
	c.forceAway(site)
	c.Eventually("the next second begins", func() error { // which is as fine as the API server notes times
		if time.Now().Unix() <= child.CreationTimestamp.Unix()+1 {
			return errors.New("it has not")
		}
		return nil
	})
	site = c.site("web")
	c.Restart()
	c.Eventually("the name is taken", func() error {
		return hasNameConflict(c, site)
	})
	if c.Get(child); child.Labels[c.group+"/site"] != "" {
		t.Errorf("its labels are %v", child.Labels)
	}
}

// hasNameConflict reports whether a Site shows a name conflict.
func hasNameConflict(c *custom, site *testapi.Site) error { return hasReason(c, site, "NameConflict") }

// hasReason reports whether the Ready condition of a Site has a reason.
func hasReason(c *custom, site *testapi.Site, reason string) error {
	c.Get(site)
	if condition := meta.FindStatusCondition(site.Status.Conditions, "Ready"); condition == nil || condition.Reason != reason {
		return fmt.Errorf("its status is %+v", site.Status)
	}
	return nil
}
