package operator_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// rightsWithoutLeases are the rights of an operator of Sites, except to take a Lease.
const rightsWithoutLeases = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: site}
rules:
- {apiGroups: [test.opgen.dev], resources: [sites, sites/status, sites/finalizers], verbs: [get, list, watch, patch, update]}
- {apiGroups: [""], resources: [configmaps, secrets, services, pods, serviceaccounts], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [list]}
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
`

// startWithoutLease runs an operator that may not take its Lease, and returns where it answers probes.
func startWithoutLease(t *testing.T) (c *custom, address string) {
	t.Helper()
	roles := filepath.Join(t.TempDir(), "roles.yaml")
	if err := os.WriteFile(roles, []byte(rightsWithoutLeases), 0o600); err != nil {
		t.Fatal(err)
	}
	address = freeAddress(t)
	c = &custom{t: t}
	c.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: (&author{sync: desireWeb}).controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Roles:       roles, LacksRights: true,
		Options: func(o *operator.Options) {
			o.LeaderElect, o.LeaderElectID, o.HealthAddress = true, "sites", address
		},
	})
	c.Eventually("its controllers wait for nothing", func() error {
		answer, err := http.Get("http://" + address + "/readyz/controller-site")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
	return c, address
}

// An operator that cannot take its Lease reconciles nothing, and is not ready until it can.
func TestOperatorWithoutItsLeaseIsNotReady(t *testing.T) {
	t.Parallel()
	c, address := startWithoutLease(t)
	code, text := probe(t, "http://"+address+"/readyz")
	if want := "[-]lease failed: no replica holds the lease " + c.Namespace + "/sites"; code != http.StatusInternalServerError || !strings.Contains(text, want) {
		t.Errorf("/readyz answers %d, without %q:\n%s", code, want, text)
	}
	c.Eventually("it says why", func() error {
		if _, text := probe(t, "http://"+address+"/readyz"); !strings.Contains(text, "the operator's role does not let it get, create and update leases there") {
			return errors.New(text)
		}
		return nil
	})
	c.Create(site("web"))
	c.changeRights(func(rule *rbacv1.PolicyRule) {
		if slices.Contains(rule.Resources, "leases") {
			rule.Verbs = []string{"get", "create", "update"}
		}
	})
	c.Exists(configMap("web", ""))
	c.Eventually("it is ready", func() error {
		if code, text := probe(t, "http://"+address+"/readyz"); code != http.StatusOK {
			return errors.New(text)
		}
		return nil
	})
}

// After a minute, an Event says so, too.
func TestEventSaysThatTheLeaseCannotBeTaken(t *testing.T) {
	longtest.Skip(t, "it waits for a minute")
	t.Parallel()
	c, _ := startWithoutLease(t)
	c.Eventually("an Event says that it does not work", func() error {
		var events eventsv1.EventList
		if err := c.Client.List(t.Context(), &events, client.InNamespace(c.Namespace)); err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Reason == "LeaseUnavailable" && e.Regarding.Kind == "Lease" && e.Regarding.Name == "sites"
		}) {
			return fmt.Errorf("there are %d others", len(events.Items))
		}
		return nil
	})
}
