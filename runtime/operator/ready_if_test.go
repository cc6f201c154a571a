package operator_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// seenKey is the annotation by which a replica says what it has caught up with.
const seenKey = "test.opgen.dev/seen"

// replicas desires the replicas a, b and c, of which only Sync knows whether they have caught up, and
// a proxy after them.
func replicas(req *customRequest, want *Desired) {
	version, proxy := req.Parent.Spec.Text, named(&corev1.Secret{}, "proxy")
	proxy.StringData = map[string]string{"version": version}
	for _, name := range []string{"a", "b", "c"} {
		replica := configMap(name, version)
		observed, _ := req.Children.ConfigMaps.Get(name)
		isCaughtUp := observed != nil && observed.Annotations[seenKey] == version
		want.ConfigMaps.Add(replica, operator.RollingInPlace, operator.ReadyIf(isCaughtUp, "has not caught up"))
	}
	want.Secrets.Add(proxy, operator.After(configMap("a", ""), configMap("b", ""), configMap("c", "")))
}

// catchUp has replicas catch up with their version.
func (c *custom) catchUp(names ...string) {
	c.t.Helper()
	for _, name := range names {
		replica := configMap(name, "")
		c.Update(replica, func() { metav1.SetMetaDataAnnotation(&replica.ObjectMeta, seenKey, replica.Data["key"]) })
	}
}

// versions waits until the replicas and the proxy have these versions.
func (c *custom) versions(expected string) {
	c.t.Helper()
	c.Eventually("the versions are "+expected, func() error {
		var got []string
		for _, name := range []string{"a", "b", "c"} {
			replica := configMap(name, "")
			c.Get(replica)
			got = append(got, replica.Data["key"])
		}
		proxy, version := named(&corev1.Secret{}, "proxy"), "-"
		if c.Get(proxy) {
			version = string(proxy.Data["version"])
		}
		if all := strings.Join(append(got, version), " "); all != expected {
			return errors.New("they are " + all)
		}
		return nil
	})
}

func TestReadyIfGatesARollingUpdateAndWhatComesAfter(t *testing.T) {
	c := startCustom(t, customDesire(replicas), nil)
	site := c.site("web")
	c.versions("hello hello hello -")
	c.says(site, "ConfigMap a has not caught up; ConfigMap b has not caught up; ConfigMap c has not caught up; and 1 more")
	c.Settled()
	c.versions("hello hello hello -")
	c.catchUp("b", "a", "c")
	c.versions("hello hello hello hello")
	c.says(site, allReady)

	c.touch(site, "v2")
	c.versions("v2 hello hello hello")
	c.says(site, "ConfigMap a has not caught up; ConfigMap b is outdated and waits for its turn; ConfigMap c is outdated and waits for its turn; and 1 more")
	before := c.Settled()
	c.Restart() // it remembers nothing, and Sync says it again
	c.Settled()
	if requests := c.Requests()[before:]; len(requests) > 0 {
		t.Errorf("requests after a restart: %v", requests)
	}
	c.versions("v2 hello hello hello")
	c.catchUp("a")
	c.versions("v2 v2 hello hello")
	c.catchUp("b")
	c.versions("v2 v2 v2 hello")
	c.Settled()
	c.versions("v2 v2 v2 hello") // the last of them has not caught up
	c.catchUp("c")
	c.versions("v2 v2 v2 v2")
	c.says(site, allReady)
	c.Converged(site)
}

// A replica that falls behind although it is outdated goes first, as one that is not healthy.
func TestReadyIfLetsALaggingReplicaGoFirst(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		for _, name := range []string{"a", "b", "c"} {
			observed, exists := req.Children.ConfigMaps.Get(name)
			isCaughtUp := exists && observed.Annotations[seenKey] == observed.Data["key"]
			want.ConfigMaps.Add(configMap(name, req.Parent.Spec.Text), operator.RollingInPlace, operator.ReadyIf(isCaughtUp, "lags"))
		}
	}), nil)
	site := c.site("web")
	c.versions("hello hello hello -")
	c.catchUp("a", "b", "c")
	c.says(site, allReady)
	lagging := configMap("c", "")
	c.Update(lagging, func() { metav1.SetMetaDataAnnotation(&lagging.ObjectMeta, seenKey, "older") })
	c.says(site, "ConfigMap c lags")
	c.touch(site, "v2")
	c.versions("hello hello v2 -")
	c.Settled()
	c.versions("hello hello v2 -")
	c.catchUp("c")
	c.versions("v2 hello v2 -")
}

func TestReadyIfWritesNothingButTheStatus(t *testing.T) {
	verified := func(ok bool) Function {
		return desire(func(want *Desired) {
			want.ConfigMaps.Add(configMap("backup", "one"), operator.ReadyIf(ok, "is not verified"))
		})
	}
	f := start(t, &author{sync: verified(false)})
	f.status("Ready", "Progressing")
	f.Settled()
	f.expectRequests(0, "create configmaps backup: 201", "patch sites/status web: 200")
	for _, step := range []struct {
		ok     bool
		reason string
	}{{true, "Ready"}, {false, "Progressing"}} {
		before := f.Settled()
		f.setSync(verified(step.ok))
		f.reconcile()
		f.status("Ready", step.reason)
		f.Settled()
		f.expectRequests(before, "patch sites/status web: 200")
		f.Converged(f.site)
	}
	before := f.Settled()
	f.Restart()
	f.Reconciled(f.site)
	f.expectRequests(before)
}
