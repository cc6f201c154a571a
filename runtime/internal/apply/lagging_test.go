package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr/funcr"
)

// What admission adds to new objects alone follows what it is derived from.
func TestValueThatOnlyACreateSetsFollowsTheDesiredState(t *testing.T) {
	tier := func(name string) client.Object {
		return deployment(func(d *appsv1.Deployment, _ *corev1.Container) {
			d.Labels, d.Annotations = map[string]string{"tier": name}, map[string]string{"a": "b"}
			if name == "" {
				d.Labels = map[string]string{"other": "yes"}
			}
		})
	}
	for _, place := range []string{"/metadata/annotations/limit", "/spec/minReadySeconds", "/spec/template/spec/containers/0/workingDir"} {
		for _, applied := range []bool{true, false} {
			t.Run(place+", "+ways[!applied], func(t *testing.T) {
				c := startServer(t).child(tier("gold"), Desired{})
				values := map[string]any{"gold": "8", "iron": "2"}
				if place == "/spec/minReadySeconds" {
					values = map[string]any{"gold": int64(8), "iron": int64(2)}
				}
				c.applied = applied
				c.mutate("deployments", func(_ *admissionv1.AdmissionRequest, made object) (any, error) {
					if value, ok := values[fmt.Sprint(at(made, "metadata.labels.tier"))]; ok {
						return setAt(place, value), nil
					}
					return nil, nil
				}, admissionregistrationv1.Create)
				for _, name := range []string{"gold", "iron", "", "gold", "", "iron"} {
					c.now = c.now.Add(time.Hour)
					c.settle(tier(name))
					c.expectAt("as "+name, strings.ReplaceAll(place[1:], "/", "."), values[name])
					if outcome := c.settle(tier(name)); outcome.Action != Unchanged {
						t.Errorf("then the child is %s", outcome.Action)
					}
				}
				for _, entry := range c.live().GetManagedFields() {
					if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && strings.Contains(entry.FieldsV1.GetRawString(), `"f:limit"`) {
						t.Errorf("the operator owns what admission adds: %s", entry.FieldsV1.GetRawString())
					}
				}
			})
		}
	}
}

func mustContent(t *testing.T, object client.Object) map[string]any {
	t.Helper()
	content, err := contentOf(object)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// An API server that cannot say how it would create a child changes nothing but what is desired, and the log says so
// once.
func TestChildIsChangedWithoutADryRun(t *testing.T) {
	policy := func(rules string) client.Object {
		return stateOf(t, "networking.k8s.io/v1 NetworkPolicy", "podSelector: {}\n"+rules)
	}
	c := startServer(t).child(policy("ingress: [{}]"), Desired{})
	c.expect(policy("ingress: [{}]"), Created, "post 201")
	c.refuse("networkpolicies", admissionregistrationv1.Create)
	c.eventually("the policy is in force", func() bool {
		probe := policy("ingress: [{}]")
		probe.SetNamespace(c.namespace)
		probe.SetName("probe")
		return c.server.Create(t.Context(), probe, client.DryRunAll) != nil
	})
	var lines atomic.Int64
	ctx := log.IntoContext(t.Context(), funcr.New(func(_, line string) {
		if !strings.Contains(line, "fields that nobody owns stay as they are") || !strings.Contains(line, "the change freeze lasts until Monday") {
			t.Errorf("the log says %s", line)
		}
		lines.Add(1)
	}, funcr.Options{}))
	for _, rules := range []string{"ingress: [{}]\negress: [{}]", "ingress: [{}]\negress: [{}, {}]"} {
		outcome, err := c.ApplyChild(ctx, c.now, c.state, c.desired(policy(rules)), c.cached())
		if err != nil || outcome.Action != Updated {
			t.Errorf("the child is %s, %v", outcome.Action, err)
		}
		c.expectAt("after the change", "spec.policyTypes", []any{"Ingress"})
	}
	if lines.Load() != 1 {
		t.Errorf("the log says it %d times", lines.Load())
	}
}

// An API server that is out of order for a moment is asked again.
func TestChangeWaitsForTheDryRun(t *testing.T) {
	one, two := policyOf(t, "ingress: [{}]"), policyOf(t, "ingress: [{}]\negress: [{}]")
	c := startServer(t).child(one, Desired{})
	c.settle(one)
	available := c.Applier.Client
	c.Applier.Client = unavailable{available}
	if outcome, err := c.reconcile(two); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("the child is %s, %v, want the error of the dry run", outcome.Action, err)
	}
	c.Applier.Client = available
	c.now = c.now.Add(10 * time.Minute)
	c.settle(two)
	c.expectAt("after the change", "spec.policyTypes", []any{"Ingress", "Egress"})
}

func policyOf(t *testing.T, rules string) client.Object {
	return stateOf(t, "networking.k8s.io/v1 NetworkPolicy", "podSelector: {}\n"+rules)
}

// failing is a client whose applies fail.
type failing struct{ client.Writer }

func (c failing) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	if patch.Type() == "application/apply-patch+yaml" {
		return apierrors.NewServiceUnavailable("for a moment")
	}
	return c.Writer.Patch(ctx, object, patch, options...)
}

// An operator that ends before the apply leaves nothing behind that the next one would not find.
func TestLaggingFieldIsFoundAfterACrash(t *testing.T) {
	for name, states := range map[string][]client.Object{
		"a default that lags":        {policyOf(t, "ingress: [{}]"), policyOf(t, ""), policyOf(t, "egress: [{}]")},
		"a default that contradicts": {stateOf(t, "apps/v1 Deployment", workload), stateOf(t, "apps/v1 Deployment", workload+"\npaused: true"), stateOf(t, "apps/v1 Deployment", workload+"\nstrategy: {type: Recreate}")},
	} {
		t.Run(name, func(t *testing.T) {
			c := startServer(t).child(states[0], Desired{})
			c.settle(states[0])
			c.settle(states[1])
			available := c.Applier.Client
			c.Applier.Client = failing{available}
			if outcome, err := c.reconcile(states[2]); err == nil {
				t.Errorf("the child is %s", outcome.Action)
			}
			c.Applier.Client = available
			c.restart()
			c.settle(states[2])
			if content := contentToCompare(t, c.live()); !equalValues(content, c.fresh(states[2])) {
				t.Errorf("the child is %v", content)
			}
		})
	}
}

// A change costs the dry run of a create where the child has fields that are not desired, one more at the first change
// of a child that has values of its own, and none elsewhere.
func TestRequestsOfAChangeByKind(t *testing.T) {
	without := []string{"ConfigMap", "ServiceAccount", "Role"}
	for _, object := range kinds() {
		t.Run(fmt.Sprintf("%T", object), func(t *testing.T) {
			c := startServer(t).child(named(object), Desired{})
			labelled := func(value string) client.Object {
				object.SetLabels(map[string]string{"number": value})
				return object
			}
			c.settle(labelled("1"))
			c.made()
			for number, most := range []int{2, 2, 1} { // the cluster's own controllers set values of the child's
				c.settle(labelled(fmt.Sprint(number + 2)))
				made := c.made()
				dry := strings.Count(made, "dry post")
				t.Logf("%s: %s", c.wish.Kind.Kind, made)
				if hasNone := slices.Contains(without, c.wish.Kind.Kind); (hasNone && dry > 0 || dry > most) && !strings.Contains(made, "409") {
					t.Errorf("requests: %s", made)
				}
			}
		})
	}
}
