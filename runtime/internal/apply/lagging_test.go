package apply

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr/funcr"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// mutate installs a webhook that answers with a JSON patch for an object, or with an error, and waits until it is asked.
func (s *server) mutate(resources string, patch func(request *admissionv1.AdmissionRequest, object object) (any, error), operations ...admissionregistrationv1.OperationType) {
	s.t.Helper()
	var asked atomic.Bool
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
			s.t.Error(err)
			return
		}
		asked.Store(true)
		var content object
		if err := json.Unmarshal(review.Request.Object.Raw, &content); err != nil {
			s.t.Error(err)
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		steps, err := patch(review.Request, content)
		if err != nil {
			review.Response.Allowed, review.Response.Result = false, &metav1.Status{Message: err.Error(), Code: http.StatusBadRequest}
		} else if steps != nil {
			body, _ := json.Marshal(steps)
			review.Response.Patch, review.Response.PatchType = body, ptr.To(admissionv1.PatchTypeJSONPatch)
		}
		if err := json.NewEncoder(w).Encode(review); err != nil {
			s.t.Error(err)
		}
	}))
	s.t.Cleanup(server.Close)
	hook := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "mutate.apply.opgen.dev", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      ptr.To(server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: operations,
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{resources}},
			}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.namespace}},
		}},
	}
	if err := s.Client.Create(s.t.Context(), hook); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := s.Client.Delete(context.WithoutCancel(s.t.Context()), hook); err != nil {
			s.t.Error(err)
		}
	})
	s.eventually("the webhook is asked", func() bool {
		probes := map[string]client.Object{"configmaps": configMap("a", "b"), "deployments": deployment(nil)}
		probe := probes[resources]
		probe.SetNamespace(s.namespace)
		probe.SetName("probe")
		_ = s.Client.Create(s.t.Context(), probe, client.DryRunAll)
		return asked.Load()
	})
}

func setAt(path string, value any) []object {
	return []object{{"op": "add", "path": path, "value": value}}
}

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

// What an injector adds stays as it is, although a new child would get another version of it, or another name.
func TestWhatAnInjectorAddsStays(t *testing.T) {
	image := func(image string) client.Object {
		return container(func(c *corev1.Container) { c.Image = image })
	}
	for _, operations := range [][]admissionregistrationv1.OperationType{{"CREATE"}, {"CREATE", "UPDATE"}} {
		t.Run(fmt.Sprint(operations), func(t *testing.T) {
			c := startServer(t).child(image("web:1"), Desired{})
			var version, asked atomic.Int64
			version.Store(1)
			c.mutate("deployments", func(_ *admissionv1.AdmissionRequest, made object) (any, error) {
				if at(made, "metadata.annotations.injected") != nil || at(made, "spec.template.metadata.annotations.injected") != nil {
					return nil, nil
				}
				steps := setAt("/spec/template/spec/containers/-", object{"name": "sidecar", "image": fmt.Sprintf("sidecar:%d", version.Load())})
				steps = append(steps, setAt("/spec/template/spec/initContainers", []any{object{"name": "init", "image": fmt.Sprintf("init:%d", version.Load())}})...)
				steps = append(steps, setAt("/spec/template/spec/hostname", fmt.Sprintf("host-%d", asked.Add(1)))...)
				steps = append(steps, setAt("/spec/template/metadata/annotations", object{"injected": fmt.Sprint(version.Load())})...)
				return steps, nil
			}, operations...)
			c.expect(image("web:1"), Created, "post 201")
			host := at(mustContent(t, c.live()), "spec.template.spec.hostname")
			version.Store(2)
			for _, name := range []string{"web:2", "web:latest", "web:3"} {
				c.settle(image(name))
				c.expectAt("as "+name, "spec.template.spec.containers.1.image", "sidecar:1")
				c.expectAt("as "+name, "spec.template.spec.initContainers.0.image", "init:1")
				c.expectAt("as "+name, "spec.template.metadata.annotations.injected", "1")
				c.expectAt("as "+name, "spec.template.spec.hostname", host)
				c.expectAt("as "+name, inContainer+"image", name)
			}
		})
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

// A value that somebody has set stays, although the API server records no owner of it, as for the subresource scale.
func TestValueThatNoDefaultExplainsStays(t *testing.T) {
	strategy := func(kind appsv1.DeploymentStrategyType) client.Object {
		return deployment(func(d *appsv1.Deployment, _ *corev1.Container) { d.Spec.Strategy.Type = kind })
	}
	c := startServer(t).child(strategy(""), Desired{})
	c.applied = true
	c.settle(strategy(""))
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 5}}
	if err := c.SubResource("scale").Update(t.Context(), c.live(), client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, "", appsv1.RecreateDeploymentStrategyType} {
		c.now = c.now.Add(time.Hour)
		c.settle(strategy(kind))
		c.expectAt("as "+string(kind), "spec.replicas", int64(5))
	}
	c.expectAt("in the end", "spec.strategy", object{"type": "Recreate"})
}

// A field that is handed over keeps its value beside one that lags.
func TestHandedOverFieldIsNotReset(t *testing.T) {
	with := func(replicas *int32, kind appsv1.DeploymentStrategyType) client.Object {
		return deployment(func(d *appsv1.Deployment, _ *corev1.Container) {
			d.Spec.Replicas, d.Spec.Strategy.Type = replicas, kind
		})
	}
	paths, err := ParseHandOver([]string{".spec.replicas"})
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		t.Run(ways[plain], func(t *testing.T) {
			c := startServer(t).child(with(ptr.To[int32](4), ""), Desired{HandOver: paths})
			c.applied = !plain
			c.settle(with(ptr.To[int32](4), ""))
			for _, kind := range []appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, "", appsv1.RecreateDeploymentStrategyType} {
				c.now = c.now.Add(time.Hour)
				c.settle(with(nil, kind))
				c.expectAt("as "+string(kind), "spec.replicas", int64(4))
			}
			c.expectAt("in the end", "spec.strategy", object{"type": "Recreate"})
		})
	}
}

// A default that contradicts what is desired is dropped without a dry run, too: a quota refuses that.
func TestQuotaDoesNotMakeADefaultImmutable(t *testing.T) {
	for name, states := range map[string][2]client.Object{
		"strategy":         {stateOf(t, "apps/v1 Deployment", workload), stateOf(t, "apps/v1 Deployment", workload+"\nstrategy: {type: Recreate}")},
		"session affinity": {stateOf(t, "v1 Service", onPort80+"\nsessionAffinity: ClientIP"), stateOf(t, "v1 Service", onPort80)},
		"a union":          {gadget(object{"store": object{"memory": object{}}}), gadget(object{"store": object{"kind": "Disk"}})},
	} {
		t.Run(name, func(t *testing.T) {
			c := startServer(t).child(states[0], Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
			c.applied = true
			uid := c.settle(states[0]).Object.GetUID()
			quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "full"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
				"count/deployments.apps": resource.MustParse("1"), "count/services": resource.MustParse("1"), "count/gadgets.apply.opgen.dev": resource.MustParse("1"),
			}}}
			if err := c.server.Create(t.Context(), quota); err != nil {
				t.Fatal(err)
			}
			c.eventually("the quota is in force", func() bool {
				probe := states[0].DeepCopyObject().(client.Object)
				probe.SetNamespace(c.namespace)
				probe.SetName("probe")
				return apierrors.IsForbidden(c.server.Create(t.Context(), probe, client.DryRunAll))
			})
			for _, state := range []client.Object{states[1], states[0], states[1]} {
				c.now = c.now.Add(time.Hour)
				if outcome := c.settle(state); outcome.Action != Updated || outcome.Object.GetUID() != uid {
					t.Fatalf("the child is %s", outcome.Action)
				}
			}
		})
	}
}

// A Service whose address is not None any more needs another object: only a new one gets an address.
func TestHeadlessServiceIsRecreatedForAnAddress(t *testing.T) {
	service := func(ip string) client.Object {
		return named(&corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: ip, Ports: []corev1.ServicePort{{Port: 80}}}})
	}
	for _, policies := range []declared.Policies{{WhenImmutable: declared.RecreateIfImmutable}, {Update: declared.Recreate}, {}} {
		for _, applied := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %s, %s", policies.Update, policies.WhenImmutable, ways[!applied]), func(t *testing.T) {
				c := startServer(t).child(service("None"), Desired{Policies: policies})
				c.applied = applied
				c.settle(service("None"))
				for range 2 { // nothing is recorded as done
					c.now = c.now.Add(time.Hour)
					outcome, err := c.reconcile(service(""))
					if policies.Update == "" && policies.WhenImmutable == "" {
						if immutable := new(ErrImmutable); !errors.As(err, immutable) || !strings.Contains(err.Error(), "spec.clusterIP") {
							t.Fatalf("the child is %s, %v (requests %s)", outcome.Action, err, c.made())
						}
					} else if err != nil || outcome.Action != NeedsRecreation {
						t.Fatalf("the child is %s, %v", outcome.Action, err)
					}
					c.restart()
				}
				c.expectAt("in the end", "spec.clusterIP", "None")
			})
		}
	}
}

// What the API server has allocated to a child stays, whether it was desired once or not.
func TestAllocatedValuesStay(t *testing.T) {
	for _, policies := range []declared.Policies{{WhenImmutable: declared.RecreateIfImmutable}, {Update: declared.Recreate}} {
		for _, way := range []string{"created", "applied", "restarted"} {
			t.Run(fmt.Sprintf("%s, %s", policies.Update, way), func(t *testing.T) {
				service := func(change func(*corev1.ServiceSpec)) client.Object {
					s := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, ExternalTrafficPolicy: "Local", Ports: []corev1.ServicePort{{Port: 80}}}}
					change(&s.Spec)
					return named(s)
				}
				plain := service(func(*corev1.ServiceSpec) {})
				c := startServer(t).child(plain, Desired{Policies: policies})
				c.applied = way == "applied"
				c.settle(plain)
				spec := c.live().(*corev1.Service).Spec
				fixed := service(func(s *corev1.ServiceSpec) {
					s.ClusterIP, s.Ports[0].NodePort, s.HealthCheckNodePort = spec.ClusterIP, spec.Ports[0].NodePort, spec.HealthCheckNodePort
				})
				for _, state := range []client.Object{
					service(func(s *corev1.ServiceSpec) { s.PublishNotReadyAddresses = true }),
					fixed, plain, fixed, service(func(s *corev1.ServiceSpec) { s.SessionAffinity = "ClientIP" }),
					service(func(s *corev1.ServiceSpec) { s.Ports[0].TargetPort = intstr.FromString("http") }),
				} {
					c.now = c.now.Add(time.Hour)
					if way == "restarted" {
						c.restart()
					}
					if outcome := c.settle(state); outcome.Action == NeedsRecreation && policies.Update == "" {
						t.Fatalf("the child is %s", outcome.Action)
					}
					now := c.live().(*corev1.Service).Spec
					if now.ClusterIP != spec.ClusterIP || now.Ports[0].NodePort != spec.Ports[0].NodePort || now.HealthCheckNodePort != spec.HealthCheckNodePort {
						t.Fatalf("the Service has %+v, had %+v", now, spec)
					}
				}
			})
		}
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
