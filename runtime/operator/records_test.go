package operator_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// versionLabel is the label by which a webhook of these tests knows the content that it refuses.
const versionLabel = "version"

// contentRefusals are the ways in which the API server refuses another content of a ConfigMap.
var contentRefusals = map[string]func(c *custom){
	"an immutable field": func(*custom) {},
	"a webhook":          func(c *custom) { c.denyContent(metav1.Status{Message: "no"}) },
	"a conflict of a webhook": func(c *custom) {
		c.denyContent(metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "a change freeze"})
	},
	"a webhook that fails": func(c *custom) {
		c.denyContent(metav1.Status{Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "broken"})
	},
}

// denyContent refuses updates to the content with the label "version: two".
func (c *custom) denyContent(status metav1.Status) {
	c.Deny(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{versionLabel: "two"}}}, "update", status)
}

// versioned returns a ConfigMap that cannot change from one version to another.
func versioned(version string) *corev1.ConfigMap {
	child := configMap("web", version)
	child.Labels, child.Immutable = map[string]string{versionLabel: version}, new(true)
	return child
}

// recorded desires a ConfigMap of the version that the parent's text names, with the deletion policies after
// it, and the label role in place: "two Orphan primary".
func recorded(strategy operator.UpdateStrategy, isImmutable bool) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		words := strings.Split(req.Parent.Spec.Text+"  ", " ")
		child := versioned(words[0])
		if !isImmutable {
			child.Immutable = nil
		}
		options := append(removalOptions(words[1]), strategy, operator.UpdateInPlace(".metadata.labels.role"))
		if words[2] != "" {
			child.Labels["role"] = words[2]
		}
		want.ConfigMaps.Add(child, options...)
	})
}

// expectRecords waits until the child has these policies and the label role, and still the content of version one.
func (c *custom) expectRecords(site *testapi.Site, policy, role string) {
	c.t.Helper()
	child := configMap("web", "")
	c.Eventually("the child carries its options", func() error {
		return errors.Join(c.saying(child, site, policy)(), expectLabel(child, "role", role))
	})
	if child.Data["key"] != "one" {
		c.t.Errorf("the content is %v, want that of version one", child.Data)
	}
}

func expectLabel(child *corev1.ConfigMap, key, value string) error {
	if child.Labels[key] != value {
		return fmt.Errorf("labels are %v", child.Labels)
	}
	return nil
}

// What an option records decides what becomes of the child, so that it does not wait for a content that the API
// server refuses.
func TestOptionsReachAChildWhoseContentIsRefused(t *testing.T) {
	t.Parallel()
	for name, refuse := range contentRefusals {
		for _, strategy := range []operator.UpdateStrategy{operator.InPlace, operator.Recreate, operator.RollingInPlace} {
			isImmutable := name == "an immutable field"
			if isImmutable && strategy == operator.Recreate { // recreates it
				continue
			}
			t.Run(name+", "+string(strategy), func(t *testing.T) {
				c := startCustom(t, recorded(strategy, isImmutable), nil)
				site := c.siteOf("web", "one Delete a")
				c.expectRecords(site, "Delete", "a")
				refuse(c)
				uid := named(&corev1.ConfigMap{}, "web")
				c.Exists(uid)
				c.touch(site, "two Orphan b")
				c.expectRecords(site, "Orphan", "b")
				c.touch(site, "two whenDropped=Orphan,whenDeleted=Delete b")
				c.expectRecords(site, "whenDropped=Orphan,whenDeleted=Delete", "b")
				c.touch(site, "two whenDeleted=Orphan")
				c.expectRecords(site, "whenDeleted=Orphan", "")
				c.Delete(site)
				c.Gone(site)
				c.expectOrphaned(configMap("web", ""))
				child := named(&corev1.ConfigMap{}, "web")
				if c.Get(child); child.UID != uid.UID {
					t.Error("the child was recreated")
				}
			})
		}
	}
}

// The option changes while the content waits for its next attempt, and nothing gives it a new budget.
func TestOptionThatChangesBetweenTwoAttemptsIsRecorded(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(versioned(req.Parent.Spec.Text), removalOptions(req.Parent.Annotations["policy"])...)
	}), nil)
	site := c.siteOf("web", "one")
	c.says(site, allReady)
	c.touch(site, "two")
	c.saysPart(site, "data cannot be changed in place")
	for _, policy := range []string{"Orphan", "Delete", "whenDeleted=Orphan", ""} {
		c.Update(site, func() { site.Annotations = map[string]string{"policy": policy} })
		c.expectRecords(site, policy, "")
	}
	c.saysPart(site, "data cannot be changed in place")
	before := c.Settled()
	c.Update(site, func() { site.Annotations["other"] = "change" })
	c.Settled()
	for _, request := range c.Requests()[before:] {
		if request.Resource == "configmaps" && request.Code != http.StatusUnprocessableEntity {
			t.Errorf("unexpected request: %s", request)
		}
	}
}

// policiesIn returns the options of the deletion policies that the parent's text names after its first word.
func policiesIn(site *testapi.Site) (word string, options []operator.ChildOption) {
	word, policy, _ := strings.Cut(site.Spec.Text, " ")
	return word, removalOptions(policy)
}

// The same holds for a child whose content waits for what is refused, or for its deletion.
func TestOptionsReachAChildThatWaits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		desire func(req *customRequest, want *Desired)
		refuse func(c *custom)
	}{
		"for another one, which is refused": {func(req *customRequest, want *Desired) {
			word, options := policiesIn(req.Parent)
			first := versioned(word)
			first.Name = "first"
			want.ConfigMaps.Add(first)
			want.ConfigMaps.Add(configMap("web", ""), append(options, operator.After(first))...)
		}, func(*custom) {}},
		"to be recreated, and its deletion is refused": {func(req *customRequest, want *Desired) {
			word, options := policiesIn(req.Parent)
			want.ConfigMaps.Add(configMap("web", word), append(options, operator.Recreate)...)
		}, func(c *custom) { c.Deny(&corev1.ConfigMap{}, "delete", metav1.Status{}) }},
		"to be recreated as Sync asks, and its deletion is refused": {func(req *customRequest, want *Desired) {
			word, options := policiesIn(req.Parent)
			want.ConfigMaps.Add(configMap("web", ""), append(options, operator.RecreateIf(word == "two"))...)
		}, func(c *custom) { c.Deny(&corev1.ConfigMap{}, "delete", metav1.Status{}) }},
		"to be created after another one, and has to be recreated": {func(req *customRequest, want *Desired) {
			word, options := policiesIn(req.Parent)
			first := versioned(word)
			first.Name = "first"
			want.ConfigMaps.Add(first)
			want.ConfigMaps.Add(configMap("web", word), append(options, operator.Recreate, operator.CreateAfter(first))...)
		}, func(*custom) {}},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(test.desire), nil)
			site, child := c.siteOf("web", "one Delete"), configMap("web", "")
			c.says(site, allReady)
			c.Get(child)
			uid := child.UID
			test.refuse(c)
			for _, policy := range []string{"Orphan", "Delete", "whenDropped=Orphan"} {
				c.touch(site, "two "+policy)
				c.Eventually("the child says "+policy, c.saying(child, site, policy))
			}
			if child.UID != uid {
				t.Error("the child was recreated")
			}
		})
	}
}

// Which of the entries of its kind a child belongs to is recorded like an option.
func TestAnotherEntryReachesAJobWhoseTemplateIsRefused(t *testing.T) {
	desireMigration := func(_ *entriesRequest, want *entriesDesired) { want.Migrations.Add(runJob("web")) }
	o := startEntries(t, desireMigration, func(d *entriesDefinition) {
		entries := d.Kinds
		d.Kinds = func(observed *entriesChildren, desired *entriesDesired) []operator.ChildKind {
			kinds := entries(observed, desired)
			for i := range kinds {
				kinds[i].Update = operator.InPlace
			}
			return kinds
		}
	})
	o.Create(o.site)
	o.Exists(runJob("web"))
	o.setDesire(func(_ *entriesRequest, want *entriesDesired) {
		job := runJob("web")
		job.Spec.Template.Spec.Containers[0].Image = "another"
		want.Backups.Add(job)
	})
	o.Eventually("the Job is listed as a backup", func() error {
		job := o.job("web")
		if o.Get(job); job.Labels[testapi.Version.Group+"/listed-as"] != "Backups" || job.Annotations[testapi.Version.Group+"/listed-as"] != "Backups" {
			return fmt.Errorf("labels %v, annotations %v", job.Labels, job.Annotations)
		}
		return nil
	})
}

// What the runtime itself refuses is refused as well.
func TestOptionsReachAnInvalidChild(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		word, options := policiesIn(req.Parent)
		child := service("web")
		if word == "two" {
			child.Spec.Ports = append(child.Spec.Ports, child.Spec.Ports...)
		}
		want.Services.Add(child, options...)
	}), nil)
	site, child := c.siteOf("web", "one Delete"), service("web")
	c.says(site, allReady)
	for _, policy := range []string{"Orphan", "Delete", "whenDropped=Orphan"} {
		c.touch(site, "two "+policy)
		c.Eventually("the child says "+policy, c.saying(child, site, policy))
	}
	c.saysPart(site, "Service "+c.Namespace+"/web", "spec.ports[0] and spec.ports[1]")
}

// After a restart nothing is known of the refusal, and the record is written all the same.
func TestOptionsReachARefusedChildAfterARestart(t *testing.T) {
	c := startCustom(t, recorded(operator.InPlace, true), nil)
	site := c.siteOf("web", "one Delete a")
	c.expectRecords(site, "Delete", "a")
	c.Stop()
	c.touch(site, "two Orphan b")
	c.Restart()
	c.expectRecords(site, "Orphan", "b")
	c.Settled()
	c.Stop()
	before := len(c.Requests())
	c.Restart()
	c.Settled()
	for _, request := range c.Requests()[before:] {
		if request.Resource == "configmaps" && request.Code == http.StatusOK && request.Verb == "patch" {
			t.Errorf("the record is written again: %s", request)
		}
	}
}
