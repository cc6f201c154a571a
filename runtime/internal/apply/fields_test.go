package apply

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func named(object client.Object) client.Object {
	object.SetName("web")
	return object
}

func ports(ports ...corev1.ServicePort) client.Object {
	return named(&corev1.Service{Spec: corev1.ServiceSpec{Ports: ports}})
}

func gadget(spec object) client.Object {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "apply.opgen.dev/v1", "kind": "Gadget", "metadata": object{"name": "web"}, "spec": spec,
	}}
}

// deployment has one container, which change completes.
func deployment(change func(*appsv1.Deployment, *corev1.Container)) client.Object {
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "web:1"}}},
		},
	}}
	if change != nil {
		change(d, &d.Spec.Template.Spec.Containers[0])
	}
	return named(d)
}

func container(change func(*corev1.Container)) client.Object {
	return deployment(func(_ *appsv1.Deployment, c *corev1.Container) { change(c) })
}

const inContainer = "spec.template.spec.containers.0."

// fieldCases are two desired states of a child one after the other, and the
// field that they differ in. drift is what someone else writes there between.
var fieldCases = []struct {
	name     string
	one, two any
	path     string
	drift    any
	in1, in2 any // at path, as the API server has it; nil: absent

	completed bool // in a way that nobody knows after a start, so that an apply tells
}{
	{
		name: "a value", path: "data.key", drift: "theirs",
		one: named(&corev1.ConfigMap{Data: map[string]string{"key": "one"}}), in1: "one",
		two: named(&corev1.ConfigMap{Data: map[string]string{"key": "two"}}), in2: "two",
	}, {
		name: "a removed field", path: "data.gone", drift: "theirs",
		one: named(&corev1.ConfigMap{Data: map[string]string{"key": "one", "gone": "soon"}}), in1: "soon",
		two: named(&corev1.ConfigMap{Data: map[string]string{"key": "one"}}),
	}, {
		name: "a removed label", path: "metadata.labels.tier", drift: "theirs",
		one: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"tier": "db"}}}, in1: "db",
		two: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}},
	}, {
		name: "a removed field with a default", path: "spec.replicas", drift: int64(7),
		one: deployment(func(d *appsv1.Deployment, _ *corev1.Container) { d.Spec.Replicas = ptr.To[int32](3) }), in1: int64(3),
		two: deployment(nil), in2: int64(1),
	}, {
		name: "stringData", path: "data.password", drift: "dGhlaXJz",
		one: named(&corev1.Secret{StringData: map[string]string{"password": "old"}}), in1: "b2xk",
		two: named(&corev1.Secret{StringData: map[string]string{"user": "me"}}),
	}, {
		name: "a quantity", path: inContainer + "resources.limits.cpu", drift: "2",
		one: container(func(c *corev1.Container) {
			c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1000m")}
		}), in1: "1",
		two: container(func(c *corev1.Container) { c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("0.1")} }), in2: "100m",
	}, {
		name: "a quantity without a type", path: inContainer + "resources.limits.memory", drift: "2Gi",
		one: loose(object{"limits": object{"memory": "1024Mi"}}), in1: "1Gi",
		two: loose(object{"limits": object{"memory": "512Mi"}}), in2: "512Mi",
	}, {
		name: "a list key that is defaulted", path: "spec.ports.0.name", drift: "theirs",
		one: ports(corev1.ServicePort{Name: "tcp", Port: 53}, corev1.ServicePort{Name: "udp", Port: 53, Protocol: "UDP"}), in1: "tcp",
		two: ports(corev1.ServicePort{Name: "udp", Port: 53, Protocol: "UDP"}), in2: "udp",
	}, {
		name: "an atomic value that is completed", path: inContainer + "env.0.valueFrom.fieldRef.fieldPath", drift: "metadata.name",
		one: container(fieldRef("spec.nodeName")), in1: "spec.nodeName",
		two: container(fieldRef("metadata.uid")), in2: "metadata.uid",
	}, {
		name: "an item of an atomic list", path: inContainer + "args", drift: []any{"theirs"},
		one: container(func(c *corev1.Container) { c.Args = []string{"a", "b"} }), in1: []any{"a", "b"},
		two: container(func(c *corev1.Container) { c.Args = []string{"b"} }), in2: []any{"b"},
	}, {
		name: "an empty struct behind a pointer", path: "spec.template.spec.volumes.0.emptyDir",
		one: volume(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}), in1: object{},
		two: volume(corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}),
	}, {
		name: "an object without fields, to be defaulted", path: "spec.strategy.rollingUpdate.maxSurge",
		one: deployment(func(d *appsv1.Deployment, _ *corev1.Container) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{}}
		}), in1: "25%",
		two: deployment(func(d *appsv1.Deployment, _ *corev1.Container) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		}),
	}, {
		name: "nulls", path: "spec.tree.a", drift: int64(5),
		one: gadget(object{"tree": object{"a": int64(1), "none": nil}}), in1: int64(1),
		two: gadget(object{"tree": object{"a": nil, "b": int64(1)}}),
	}, {
		name: "an unknown schema", path: "spec.tree", drift: object{"ratio": 0.75, "list": []any{int64(1)}},
		one: gadget(object{"tree": object{"ratio": 0.5, "list": []any{int64(1), "two", object{}}, "empty": object{}}}),
		in1: object{"ratio": 0.5, "list": []any{int64(1), "two", object{}}, "empty": object{}},
		two: gadget(object{"tree": object{"ratio": int64(2)}}), in2: object{"ratio": int64(2)},
	}, {
		name: "an atomic list of a CRD, which is completed", path: "spec.list.0.level", drift: int64(9),
		one: gadget(object{"list": []any{object{"name": "a"}}}), in1: int64(3),
		two: gadget(object{"list": []any{object{"name": "a", "level": int64(4)}}}), in2: int64(4),
		completed: true,
	}, {
		name: "an apply configuration with a zero value", path: "data.empty", drift: "theirs",
		one: corev1ac.ConfigMap("web", "").WithData(map[string]string{"empty": ""}), in1: "",
		two: corev1ac.ConfigMap("web", "").WithData(map[string]string{"other": ""}),
	},
}

func fieldRef(path string) func(*corev1.Container) {
	return func(c *corev1.Container) {
		c.Env = []corev1.EnvVar{{Name: "REF", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}}
	}
}

func volume(source corev1.VolumeSource) client.Object {
	return deployment(func(d *appsv1.Deployment, _ *corev1.Container) {
		d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: source}}
	})
}

// loose is a Deployment as an unstructured object.
func loose(resources object) client.Object {
	content, err := Canonical(deployment(nil))
	if err != nil {
		panic(err)
	}
	content["apiVersion"], content["kind"] = "apps/v1", "Deployment"
	at(content, strings.TrimSuffix(inContainer, ".")).(object)["resources"] = resources
	return &unstructured.Unstructured{Object: content}
}

// at returns what is at a path; nil if that is nothing.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch below := value.(type) {
		case map[string]any:
			value = below[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(below) {
				return nil
			}
			value = below[i]
		default:
			return nil
		}
	}
	return value
}

// put sets what is at a path, which exists.
func put(content map[string]any, path string, value any) {
	i := strings.LastIndex(path, ".")
	at(content, path[:i]).(map[string]any)[path[i+1:]] = runtime.DeepCopyJSONValue(value)
}

// expectAt compares what the API server has at a path.
func (c *childOnServer) expectAt(when, path string, want any) {
	c.t.Helper()
	content, err := contentOf(c.live())
	if err != nil {
		c.t.Fatal(err)
	}
	if diff := cmp.Diff(want, at(content, path)); diff != "" {
		c.t.Errorf("%s: %s (-want +got):\n%s", when, path, diff)
	}
}

// ofKind is the kind of an object or an apply configuration of the cases.
func ofKind(desired any) client.Object {
	if object, ok := desired.(client.Object); ok {
		return object
	}
	return named(&corev1.ConfigMap{})
}

// drift writes a value as somebody else.
func (c *childOnServer) drift(path string, value any) {
	c.t.Helper()
	for {
		loose := &unstructured.Unstructured{}
		loose.SetGroupVersionKind(c.wish.Kind)
		if err := c.Get(c.t.Context(), c.wish.Name, loose); err != nil {
			c.t.Fatal(err)
		}
		put(loose.Object, path, value)
		err := c.Update(c.t.Context(), loose, client.FieldOwner("kubectl-edit"))
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			c.t.Fatal(err)
		}
	}
}

func TestFields(t *testing.T) {
	for _, plain := range []bool{false, true} {
		for _, restart := range []bool{false, true} {
			mode := ways[plain] + map[bool]string{true: " and restarted"}[restart]
			for _, test := range fieldCases {
				t.Run(test.name+", "+mode, func(t *testing.T) {
					c := startServer(t).child(ofKind(test.one), Desired{})
					c.applied = !plain
					restarting := func() {
						if restart {
							c.restart()
						}
					}
					same := func(object any) {
						t.Helper()
						restarting()
						if restart && test.completed {
							c.settle(object)
							if c.made() != "apply 200" {
								t.Error("the first look after a start is no apply")
							}
						}
						c.expect(object, Unchanged, "")
					}
					c.expect(test.one, Created, creation[plain])
					c.expectAt("at first", test.path, test.in1)
					same(test.one)
					if test.drift != nil {
						c.drift(test.path, test.drift)
						restarting()
						if outcome := c.expect(test.one, Updated, "apply 200"); !outcome.Drift {
							t.Error("the drift does not count")
						}
						c.expectAt("after a drift", test.path, test.in1)
						same(test.one)
					}
					restarting()
					if outcome := c.settle(test.two); outcome.Action != Updated || outcome.Drift {
						t.Errorf("a change: %+v", outcome)
					}
					c.expectAt("after a change", test.path, test.in2)
					restarting()
					c.expect(test.two, Unchanged, "")
				})
			}
		}
	}
}
