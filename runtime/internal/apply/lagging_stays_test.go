package apply

import (
	"errors"
	"fmt"
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

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

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
