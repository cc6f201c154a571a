package operator_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// isReady waits until /readyz answers with a code and these texts.
func isReady(c *operatortest.Cluster, t *testing.T, address string, code int, texts ...string) {
	t.Helper()
	c.Eventually("/readyz says it", func() error {
		if got, text := probe(t, "http://"+address+"/readyz?verbose"); got != code || !hasAll(text, texts) {
			return errors.New(text)
		}
		return nil
	})
}

// A running operator whose kind goes does not work, whichever of its kinds it is.
func TestOperatorIsNotReadyWhileAKindIsGone(t *testing.T) {
	for _, kind := range []string{"Rig", "Bolt"} {
		t.Run(kind, func(t *testing.T) {
			address := freeAddress(t)
			r := startRigs(t, func(_ *rigs, config *operatortest.Config) {
				config.Options = func(o *operator.Options) { o.HealthAddress = address }
			})
			r.put("Rig", "one", map[string]any{"port": int64(1)})
			r.has("one", 1)
			isReady(r.Cluster, t, address, http.StatusOK, "[+]controller-rig ok")
			crd := crdOf(r.group, kind)
			if err := r.Client.Delete(t.Context(), crd); err != nil {
				t.Fatal(err)
			}
			isReady(r.Cluster, t, address, http.StatusInternalServerError, "[-]controller-rig failed: waits: the API server does not know kind "+kind)
			r.Eventually("the metric counts it", func() error {
				if n := gauge(t, "opgen_awaited_kinds", kind); n < 1 {
					return fmt.Errorf("it is %v", n)
				}
				return nil
			})
			r.Eventually("the CRD is back", func() error { return r.Client.Create(t.Context(), crdOf(r.group, kind)) })
			isReady(r.Cluster, t, address, http.StatusOK, "[+]controller-rig ok")
			r.Eventually("the operator works", func() error {
				r.put("Rig", "one", map[string]any{"port": int64(2)})
				return nil
			})
			r.has("one", 2)
		})
	}
}

// A right to list that is taken away shows in the same way, with the cause. So does the right to watch alone.
func TestOperatorIsNotReadyWhileItMayNotListOrWatch(t *testing.T) {
	for name, verbs := range map[string][]string{"both": {"list", "watch"}, "watch": {"watch"}} { // a list needs no more than watch
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := freeAddress(t)
			roles := generateRoles(t, strings.Replace(siteSpec, ", pruneOnly: true", "", 1))
			c := addCustomWith(t, func(config *operatortest.Config) { config.Roles, config.LacksRights = roles, true }, customDesire(func(req *customRequest, want *Desired) {
				want.ConfigMaps.Add(configMap(req.Parent.Spec.Text, ""))
			}), nil, func(o *operator.Options) { o.Namespaces, o.HealthAddress = nil, address })
			c.says(c.site("web"), allReady)
			isReady(c.Cluster, t, address, http.StatusOK)
			c.changeRights(func(rule *rbacv1.PolicyRule) {
				if slices.Contains(rule.Resources, "configmaps") {
					rule.Verbs = slices.DeleteFunc(rule.Verbs, func(each string) bool { return slices.Contains(verbs, each) })
				}
			})
			c.Inject(operatortest.Fault{Verb: "create", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.CutWatches})
			c.siteOf("other", "other")
			isReady(c.Cluster, t, address, http.StatusInternalServerError, "the operator's role does not allow to list and watch ConfigMap", "cannot "+verbs[0])
			c.changeRights(func(rule *rbacv1.PolicyRule) {
				if slices.Contains(rule.Resources, "configmaps") {
					rule.Verbs = append(rule.Verbs, verbs...)
				}
			})
			isReady(c.Cluster, t, address, http.StatusOK)
		})
	}
}
