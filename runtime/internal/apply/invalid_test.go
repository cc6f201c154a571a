package apply

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func editService(change func(*corev1.ServiceSpec)) func(client.Object) {
	return func(o client.Object) { change(&o.(*corev1.Service).Spec) }
}

func editPod(change func(*corev1.PodSpec)) func(client.Object) {
	return func(o client.Object) { change(&o.(*appsv1.Deployment).Spec.Template.Spec) }
}

func editContainer(change func(*corev1.Container)) func(client.Object) {
	return editPod(func(spec *corev1.PodSpec) { change(&spec.Containers[0]) })
}

func mounted(source corev1.VolumeSource) client.Object {
	return deployment(func(d *appsv1.Deployment, c *corev1.Container) {
		d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: source}}
		c.VolumeMounts = []corev1.VolumeMount{{Name: "config", MountPath: "/etc/web"}}
	})
}

// conflictCases are edits that make the desired state, applied over them, invalid.
var conflictCases = []struct {
	name    string
	desired client.Object
	edit    func(client.Object)
	gone    string // path that is not in the child after the repair
	kept    string // path of what the editor added beside, which is
}{
	{
		name: "port of a Service", desired: ports(corev1.ServicePort{Name: "http", Port: 80}),
		edit: editService(func(s *corev1.ServiceSpec) { s.Ports[0].Port = 81 }), gone: "spec.ports.1",
	}, {
		name: "port without a name", desired: ports(corev1.ServicePort{Port: 80}),
		edit: editService(func(s *corev1.ServiceSpec) { s.Ports[0].Port = 81 }), gone: "spec.ports.1",
	}, {
		name: "port of a Service, beside another's", desired: ports(corev1.ServicePort{Name: "http", Port: 80}),
		edit: editService(func(s *corev1.ServiceSpec) {
			s.Ports[0].Port = 81
			s.Ports = append(s.Ports, corev1.ServicePort{Name: "theirs", Port: 90})
		}), gone: "spec.ports.2", kept: "spec.ports.1",
	}, {
		name: "protocol", desired: ports(corev1.ServicePort{Name: "dns", Port: 53}),
		edit: editService(func(s *corev1.ServiceSpec) { s.Ports[0].Protocol = "UDP" }), gone: "spec.ports.1",
	}, {
		name: "two ports swapped", desired: ports(corev1.ServicePort{Name: "http", Port: 80}, corev1.ServicePort{Name: "admin", Port: 90}),
		edit: editService(func(s *corev1.ServiceSpec) { s.Ports[0].Port, s.Ports[1].Port = 90, 80 }), gone: "spec.ports.2",
	}, {
		name: "both ports of a Service", desired: ports(corev1.ServicePort{Name: "http", Port: 80}, corev1.ServicePort{Name: "admin", Port: 90}),
		edit: editService(func(s *corev1.ServiceSpec) { s.Ports[0].Port, s.Ports[1].Port = 81, 91 }), gone: "spec.ports.2",
	}, {
		name: "fixed node port", desired: ports(corev1.ServicePort{Port: 80, NodePort: 0, TargetPort: intstr.FromInt32(8080)}),
		edit: editService(func(s *corev1.ServiceSpec) { s.Type, s.Ports[0].Port = corev1.ServiceTypeNodePort, 81 }), gone: "spec.ports.1", kept: "spec.type",
	}, {
		name: "containerPort", desired: container(func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}} }),
		edit: editContainer(func(c *corev1.Container) { c.Ports[0].ContainerPort = 8081 }), gone: inContainer + "ports.1",
	}, {
		name: "protocol of a container's port", desired: container(func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}} }),
		edit: editContainer(func(c *corev1.Container) { c.Ports[0].Protocol = "UDP" }), gone: inContainer + "ports.1",
	}, {
		name: "volume source", desired: mounted(corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}),
		edit: editPod(func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: nil, Medium: "Memory"}}
		}), gone: "spec.template.spec.volumes.0.emptyDir",
	}, {
		name: "volume source without a field", desired: mounted(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
		edit: editPod(func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "theirs"}}}
		}), gone: "spec.template.spec.volumes.0.configMap",
	}, {
		name: "name of a volume", desired: mounted(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
		edit: editPod(func(s *corev1.PodSpec) { s.Volumes[0].Name, s.Containers[0].VolumeMounts[0].Name = "theirs", "theirs" }),
	}, {
		name: "mountPath", desired: mounted(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
		edit: editContainer(func(c *corev1.Container) { c.VolumeMounts[0].MountPath = "/theirs" }),
	}, {
		name: "value of an environment variable", desired: container(func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "A", Value: "one"}} }),
		edit: editContainer(func(c *corev1.Container) { fieldRef("spec.nodeName")(c); c.Env[0].Name, c.Env[0].Value = "A", "" }), gone: inContainer + "env.0.valueFrom",
	}, {
		name: "source of an environment variable", desired: container(func(c *corev1.Container) { fieldRef("spec.nodeName")(c); c.Env[0].Name = "A" }),
		edit: editContainer(func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "A", Value: "one"}} }), gone: inContainer + "env.0.value",
	}, {
		name: "handler of a probe", desired: container(func(c *corev1.Container) {
			c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 7, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)}}}
		}),
		edit: editContainer(func(c *corev1.Container) {
			c.ReadinessProbe.HTTPGet, c.ReadinessProbe.TCPSocket, c.ReadinessProbe.FailureThreshold = nil, &corev1.TCPSocketAction{Port: intstr.FromInt32(80)}, 9
		}), gone: inContainer + "readinessProbe.tcpSocket", kept: inContainer + "readinessProbe.failureThreshold",
	}, {
		name: "strategy", desired: deployment(func(d *appsv1.Deployment, _ *corev1.Container) {
			d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		}),
		edit: func(o client.Object) {
			o.(*appsv1.Deployment).Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType}
		}, gone: "spec.strategy.rollingUpdate",
	},
}

func TestEditThatConflictsWithDesiredIsUndone(t *testing.T) {
	for _, test := range conflictCases {
		for _, way := range []string{"created", "applied", "created, restarted", "of which only metadata is cached", "whose managedFields were wiped"} {
			t.Run(test.name+", "+way, func(t *testing.T) {
				c := startServer(t).child(test.desired, Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
				c.applied, c.Metadata = way == "applied", way == "of which only metadata is cached"
				uid := c.settle(test.desired).Object.GetUID()
				c.edit("kubectl-edit", test.edit)
				if way == "whose managedFields were wiped" {
					c.edit("someone", func(o client.Object) { o.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) })
				}
				if way == "created, restarted" {
					c.restart()
				}
				if outcome := c.settle(test.desired); outcome.Action != Updated {
					t.Fatalf("the child is %s", outcome.Action)
				}
				if outcome := c.settle(test.desired); outcome.Action != Unchanged {
					t.Errorf("then the child is %s", outcome.Action)
				}
				live := c.live()
				if live.GetUID() != uid {
					t.Error("the child was recreated")
				}
				content, err := contentOf(live)
				if err != nil {
					t.Fatal(err)
				}
				if err := lacks(c.desired(test.desired).fields(), content); err != "" {
					t.Errorf("the child lacks %s", err)
				}
				if test.gone != "" {
					c.expectAt("after the repair", test.gone, nil)
				}
				if test.kept != "" && at(content, test.kept) == nil {
					t.Errorf("%s is gone, which was not in the way", test.kept)
				}
			})
		}
	}
}

// lacks returns a desired field that is not in a child. It is empty if there is none.
func lacks(desired, live any) string {
	switch desired := desired.(type) {
	case map[string]any:
		for name, value := range desired {
			if path := lacks(value, fieldValue(live, name)); path != "" {
				return name + "." + path
			}
		}
	case []any:
		for i, item := range desired {
			items, _ := live.([]any)
			if !slices.ContainsFunc(items, func(now any) bool { return lacks(item, now) == "" }) {
				return strconv.Itoa(i)
			}
		}
	default:
		if !equalValues(desired, live) {
			return fmt.Sprintf("%v, which is %v", desired, live)
		}
	}
	return ""
}

// Sync sets one of two fields that exclude each other. The API server had set the other one.
func TestChangeThatConflictsWithADefaultIsApplied(t *testing.T) {
	with := func(kind appsv1.DeploymentStrategyType) client.Object {
		return deployment(func(d *appsv1.Deployment, _ *corev1.Container) { d.Spec.Strategy.Type = kind })
	}
	for _, policy := range []declared.ImmutablePolicy{declared.FailIfImmutable, declared.RecreateIfImmutable} {
		t.Run(string(policy), func(t *testing.T) {
			one, two := with(appsv1.RollingUpdateDeploymentStrategyType), with(appsv1.RecreateDeploymentStrategyType)
			c := startServer(t).child(one, Desired{Policies: declared.Policies{WhenImmutable: policy}})
			c.settle(one)
			if outcome := c.settle(two); outcome.Action != Updated {
				t.Errorf("the child is %s", outcome.Action)
			}
			c.expect(two, Unchanged, "")
			c.expectAt("in the end", "spec.strategy", object{"type": "Recreate"})
		})
	}
}

// If the apply is refused in any case, all fields keep their owners.
func TestConflictThatCannotBeUndoneChangesNoOwners(t *testing.T) {
	one := ports(corev1.ServicePort{Name: "http", Port: 80})
	wrong := named(&corev1.Service{Spec: corev1.ServiceSpec{SessionAffinity: "wrong", Ports: []corev1.ServicePort{{Name: "http", Port: 80}}}})
	c := startServer(t).child(one, Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
	c.applied = true
	c.settle(one)
	c.edit("kubectl-edit", editService(func(s *corev1.ServiceSpec) { s.Ports[0].Port = 81 }))
	before := c.live().GetManagedFields()
	if outcome, err := c.reconcile(wrong); err == nil {
		t.Fatalf("the child is %s", outcome.Action)
	}
	owners := func(entries []metav1.ManagedFieldsEntry) (texts []string) {
		for _, entry := range entries {
			texts = append(texts, entry.Manager+" "+string(entry.Operation)+" "+entry.FieldsV1.String())
		}
		slices.Sort(texts)
		return texts
	}
	if diff := cmp.Diff(owners(before), owners(c.live().GetManagedFields())); diff != "" {
		t.Errorf("owners have changed (-before +after):\n%s", diff)
	}
}

// A port that somebody has added stays, also if the author's own desired state is invalid.
func TestDuplicateOfTheAuthorsIsNotImmutable(t *testing.T) {
	one := ports(corev1.ServicePort{Name: "http", Port: 80}, corev1.ServicePort{Name: "admin", Port: 90})
	two := ports(corev1.ServicePort{Name: "http", Port: 80}, corev1.ServicePort{Name: "http", Port: 90})
	c := startServer(t).child(one, Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
	c.settle(one)
	c.edit("kubectl-edit", editService(func(s *corev1.ServiceSpec) { s.Ports = append(s.Ports, corev1.ServicePort{Name: "theirs", Port: 99}) }))
	if outcome, err := c.reconcile(two); err == nil || errors.As(err, new(ErrImmutable)) || !strings.Contains(err.Error(), "Duplicate value") {
		t.Errorf("the child is %s, error is %v", outcome.Action, err)
	}
	c.expectAt("in the end", "spec.ports.2.name", "theirs")
}
