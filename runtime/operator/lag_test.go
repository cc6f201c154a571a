package operator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
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

// heldBody is the body of a watch that shows nothing more while it is held.
type heldBody struct {
	io.ReadCloser
	isHeld *atomic.Bool
}

func (h heldBody) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	for h.isHeld.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	return n, err
}

// heldWatches is a transport that holds the watches of a resource.
type heldWatches struct {
	next   http.RoundTripper
	plural string
	isHeld *atomic.Bool
}

func (h heldWatches) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := h.next.RoundTrip(request)
	if err == nil && strings.HasSuffix(request.URL.Path, "/"+h.plural) && request.URL.Query().Get("watch") != "" {
		response.Body = heldBody{response.Body, h.isHeld}
	}
	return response, err
}

// startHeld starts an operator whose watch of Sites can be held.
func startHeld(t *testing.T, sync customFunction) (c *custom, isHeld *atomic.Bool) {
	t.Helper()
	t.Parallel()
	isHeld = new(atomic.Bool)
	t.Cleanup(func() { isHeld.Store(false) })
	return addCustomWith(t, func(config *operatortest.Config) {
		config.Transport = func(next http.RoundTripper) http.RoundTripper { return heldWatches{next, "sites", isHeld} }
	}, sync, nil, func(*operator.Options) {}), isHeld
}

// The operator has written a condition that its cache of parents does not show.
func TestCacheOfParentsThatStandsStillIsReported(t *testing.T) {
	c, isHeld := startHeld(t, customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("web", "")) }))
	site := c.site("web")
	c.Converged(site)
	end := c.Deny(&corev1.ConfigMap{}, "create", metav1.Status{Message: "no"})
	isHeld.Store(true)
	c.Delete(configMap("web", ""))
	c.saysPart(site, "no")
	c.UpdateStatus(site, func() {
		site.Status.Conditions = append(site.Status.Conditions, metav1.Condition{Type: "Theirs", Status: "True", Reason: "Theirs", LastTransitionTime: metav1.Now()})
	})
	c.Advance(2 * time.Minute)
	c.saysPart(site, "is not in its cache", "its watch is open, and shows nothing")
	conditions := map[string]int{}
	for _, condition := range site.Status.Conditions {
		conditions[condition.Type]++
	}
	if diff := operatortest.Diff(map[string]int{"Ready": 1, "Reconciling": 1, "Theirs": 1}, conditions); diff != "" {
		t.Errorf("conditions (-expected +got):\n%s", diff)
	}
	before := len(c.Writes())
	time.Sleep(6 * time.Second) // the next wait is over
	if writes := c.Writes()[before:]; len(writes) > 0 {
		t.Errorf("it says so again: %v", writes)
	}
	end()
	isHeld.Store(false)
	c.says(site, allReady)
}

// Somebody else has written conditions that the cache of parents does not show, of types that the runtime sets.
func TestStatusIsWrittenOverConditionsThatTheCacheDoesNotShow(t *testing.T) {
	t.Parallel()
	theirs := func(c *custom, site *testapi.Site, kinds ...string) {
		c.UpdateStatus(site, func() {
			for _, kind := range kinds {
				site.Status.Conditions = append(site.Status.Conditions, metav1.Condition{Type: kind, Status: "True", Reason: "Theirs", LastTransitionTime: metav1.Now()})
			}
		})
	}
	keepsTheirs := func(c *custom, site *testapi.Site) {
		c.t.Helper()
		c.Get(site)
		if theirs := meta.FindStatusCondition(site.Status.Conditions, "Theirs"); theirs == nil || theirs.Reason != "Theirs" {
			c.t.Errorf("conditions are %v", site.Status.Conditions)
		}
	}
	t.Run("an error of Sync", func(t *testing.T) {
		c, isHeld := startHeld(t, customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("web", "")) }))
		site := c.site("web")
		c.Converged(site)
		isHeld.Store(true)
		theirs(c, site, "Theirs", "Reconciling", "Stalled")
		c.setSync(func(context.Context, *customRequest) (*Response, error) { return nil, errors.New("no licence") })
		c.Delete(configMap("web", ""))
		c.says(site, "no licence")
		keepsTheirs(c, site)
		isHeld.Store(false)
	})
	t.Run("a refused child", func(t *testing.T) {
		c, isHeld := startHeld(t, customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("web", "")) }))
		site := c.site("web")
		c.Converged(site)
		c.Deny(&corev1.ConfigMap{}, "create", metav1.Status{Message: "no"})
		isHeld.Store(true)
		theirs(c, site, "Theirs", "Reconciling")
		c.Delete(configMap("web", ""))
		c.Eventually("Ready is False", func() error {
			if c.Get(site); meta.IsStatusConditionTrue(site.Status.Conditions, "Ready") {
				return errors.New("it is not")
			}
			return nil
		})
		keepsTheirs(c, site)
		isHeld.Store(false)
	})
}
