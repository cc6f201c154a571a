package operator_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// changeRights changes the rules of the operator's roles, as whoever administers the cluster can.
func (c *custom) changeRights(change func(*rbacv1.PolicyRule)) {
	c.t.Helper()
	var roles rbacv1.ClusterRoleList
	if err := c.Client.List(c.t.Context(), &roles); err != nil {
		c.t.Fatal(err)
	}
	for _, role := range roles.Items {
		if !strings.HasPrefix(role.Name, c.Namespace+"-") {
			continue
		}
		c.Update(&role, func() {
			for i := range role.Rules {
				change(&role.Rules[i])
			}
		})
	}
}

// gauge returns the sum of a metric over all controllers of the tests, for one kind.
func gauge(t *testing.T, name, kind string) (sum float64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			if slices.ContainsFunc(metric.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == "kind" && l.GetValue() == kind }) {
				sum += metric.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// A watch that cannot be renewed shows nothing any more, and says nothing of that.
func TestCacheThatStandsStillIsReported(t *testing.T) {
	t.Parallel()
	roles := generateRoles(t, strings.Replace(siteSpec, ", pruneOnly: true", "", 1))
	c := addCustomWith(t, func(config *operatortest.Config) { config.Roles, config.LacksRights = roles, true }, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap(req.Parent.Spec.Text, ""))
	}), nil, func(o *operator.Options) { o.Namespaces = nil })
	site := c.site("web")
	c.says(site, allReady)

	rule := func(verbs ...string) func(*rbacv1.PolicyRule) {
		return func(rule *rbacv1.PolicyRule) {
			if slices.Contains(rule.Resources, "configmaps") {
				rule.Verbs = slices.DeleteFunc(rule.Verbs, func(verb string) bool { return verb == "list" || verb == "watch" })
				rule.Verbs = append(rule.Verbs, verbs...)
			}
		}
	}
	c.changeRights(rule())
	c.Inject(operatortest.Fault{Verb: "create", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.CutWatches})
	c.touch(site, "unseen")
	c.Exists(configMap("unseen", ""))
	c.Advance(2 * time.Minute)
	c.saysPart(site, "ConfigMap "+c.Namespace+"/", "is not in its cache", "list and watch")
	if n := gauge(t, "opgen_stale_cache_parents", "ConfigMap"); n < 1 {
		t.Errorf("opgen_stale_cache_parents is %v", n)
	}
	c.changeRights(rule("list", "watch"))
	c.Eventually("the cache is found to work again", func() error {
		if !c.Get(site) || site.Status.ObservedGeneration != site.Generation {
			return errors.New("it is not")
		}
		return nil
	})
	c.says(site, allReady)
	c.Converged(site)
}
