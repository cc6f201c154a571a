package operator_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// withRoles wants the Pods a, b and c. The parent names their image and the primary, as in "v2/a", and each
// has its role as a label, which is applied in place.
func withRoles(options ...operator.ChildOption) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		image, primary, _ := strings.Cut(req.Parent.Spec.Text, "/")
		for _, name := range []string{"a", "b", "c"} {
			added := pod(name, image)
			added.Labels = map[string]string{"role": "replica", "app": "web"}
			if name == primary {
				added.Labels["role"], added.Labels["primary"] = "primary", "yes"
			}
			want.Pods.Add(added, append(options, operator.UpdateInPlace(".metadata.labels"))...)
		}
	})
}

// roles waits until the Pods a, b and c have these roles, "+" for the label of the primary.
func (c *custom) roles(expected string) {
	c.t.Helper()
	c.Eventually("the roles are "+expected, func() error {
		var roles []string
		for _, name := range []string{"a", "b", "c"} {
			object := named(&corev1.Pod{}, name)
			c.Get(object)
			role := object.Labels["role"]
			if object.Labels["primary"] != "" {
				role += "+"
			}
			roles = append(roles, role)
		}
		if got := strings.Join(roles, " "); got != expected {
			return errors.New("they are " + got)
		}
		return nil
	})
}

// uids returns the UIDs of the Pods a, b and c.
func (c *custom) uids() (uids string) {
	c.t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		object := named(&corev1.Pod{}, name)
		c.Exists(object)
		uids += string(object.UID) + " "
	}
	return uids
}

func TestRolesMoveInPlaceWithEveryStrategy(t *testing.T) {
	t.Parallel()
	for _, strategy := range []operator.UpdateStrategy{operator.Recreate, operator.RollingRecreate, operator.OnDelete, operator.RollingInPlace, operator.InPlace} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startCustom(t, withRoles(strategy), nil)
			site := c.siteOf("web", "hello/a")
			c.roles("primary+ replica replica")
			c.ready("a", "b", "c")
			c.says(site, allReady)
			before := c.uids()
			c.touch(site, "hello/b")
			c.roles("replica primary+ replica")
			c.says(site, allReady)

			c.Stop() // a label that is dropped meanwhile is removed, too
			c.touch(site, "hello/c")
			c.Restart()
			c.roles("replica replica primary+")
			c.says(site, allReady)
			c.Converged(site)
			if after := c.uids(); after != before {
				t.Errorf("the Pods were recreated: %s, before %s", after, before)
			}
			requests := c.Settled()
			c.Restart()
			c.Reconciled(site)
			c.Settled()
			if made := c.Requests()[requests:]; len(made) > 0 {
				t.Errorf("requests after a restart: %v", made)
			}
		})
	}
}

// A failover while the update is stuck: the first Pod never gets ready.
func TestRolesMoveWhileARollingUpdateWaits(t *testing.T) {
	c := startCustom(t, withRoles(operator.RollingRecreate), nil)
	site := c.siteOf("web", "hello/a")
	c.roles("primary+ replica replica")
	c.ready("a", "b", "c")
	c.says(site, allReady)
	c.touch(site, "v2/a")
	c.images("v2 hello hello")
	c.touch(site, "v2/b")
	c.roles("replica primary+ replica")
	c.stays("v2 hello hello")
	c.touch(site, "v2/c")
	c.roles("replica replica primary+")
	c.stays("v2 hello hello")

	b := named(&corev1.Pod{}, "b") // drift of what is applied in place is repaired meanwhile
	c.Update(b, func() { b.Labels["role"] = "stranger" })
	c.roles("replica replica primary+")
	c.Update(b, func() { b.Labels["stranger"] = "yes" }) // and what others add stays
	c.touch(site, "v2/a")
	c.roles("primary+ replica replica")
	if c.Get(b); b.Labels["stranger"] != "yes" {
		t.Error("the label of another field manager is gone")
	}
	before := c.Settled()
	c.Restart()
	c.Reconciled(site)
	c.Settled()
	if requests := c.Requests()[before:]; len(requests) > 0 {
		t.Errorf("requests after a restart: %v", requests)
	}
	c.ready("a")
	c.images("v2 v2 hello")
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("c")
	c.says(site, allReady)
	c.Converged(site)
}

func TestRolesMoveWhileSyncHoldsTheChange(t *testing.T) {
	t.Parallel()
	for _, strategy := range []operator.UpdateStrategy{operator.Recreate, operator.OnDelete, operator.InPlace} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startCustom(t, withRoles(strategy), nil)
			site := c.siteOf("web", "hello/a")
			c.roles("primary+ replica replica")
			c.ready("a", "b", "c")
			c.says(site, allReady)
			c.setSync(withRoles(strategy, operator.UpdateIf(false, "waits for its backup")))
			c.touch(site, "v2/b")
			c.roles("replica primary+ replica")
			c.stays("hello hello hello")
		})
	}
}

func TestWhatCannotBeAppliedInPlaceIsAnInvalidAnswer(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("a", req.Parent.Spec.Text), operator.UpdateInPlace(".data"))
	}), nil)
	site := c.site("web")
	c.says(site, "ConfigMap "+c.Namespace+"/a: .data cannot be applied in place: only .metadata.labels, .metadata.annotations and single ones of them can")
}
