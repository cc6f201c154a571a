package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func configMap(data ...string) client.Object {
	object := &corev1.ConfigMap{Data: map[string]string{}}
	for i := 0; i < len(data); i += 2 {
		object.Data[data[i]] = data[i+1]
	}
	return named(object)
}

// The two ways to create a child, with their requests.
var (
	ways     = map[bool]string{false: "applied", true: "created"}
	creation = map[bool]string{false: "apply 201", true: "post 201"}
)

func strip(object client.Object) {
	annotations := object.GetAnnotations()
	delete(annotations, hashKey)
	object.SetAnnotations(annotations)
}

func TestStrippedHash(t *testing.T) {
	one, two := container(fieldRef("spec.nodeName")), container(fieldRef("metadata.uid"))
	const path, first = inContainer + "env.0.valueFrom.fieldRef.fieldPath", "spec.nodeName"
	for _, test := range []struct {
		name     string
		restart  bool
		desired  any
		action   Action
		requests string
	}{
		{"it is given back", false, one, Updated, "apply 200"},
		{"it is given back after a restart", true, one, Updated, "get 200, merge 200, dry apply 200, apply 200"},
		{"a change still waits", false, two, Unchanged, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startServer(t).child(one, Desired{Policies: declared.Policies{Update: declared.OnDelete}})
			c.expect(one, Created, "post 201")
			c.expect(two, Unchanged, "")
			c.expect(one, Unchanged, "")
			c.edit("kubectl-edit", strip)
			if test.restart {
				c.restart()
			}
			if test.desired == two {
				c.expect(two, Unchanged, "dry apply 200")
				c.expect(two, Unchanged, "")
				c.expectAt("before it is deleted", path, first)
				return
			}
			c.expect(test.desired, test.action, test.requests)
			if c.live().GetAnnotations()[hashKey] == "" {
				t.Error("the hash is not there again")
			}
			c.expect(test.desired, Unchanged, "")
			c.drift(path, "metadata.name")
			c.expect(one, Updated, "apply 200")
			c.expectAt("after a drift", path, first)
		})
	}
}

// A child without a hash gets one after a restart, even if its values are as desired.
func TestChildWithoutHash(t *testing.T) {
	for _, test := range []struct {
		name     string
		one      client.Object
		action   Action
		requests string
	}{
		{"ConfigMap", configMap("key", "one"), Updated, "apply 200"},
		{"Deployment", container(fieldRef("spec.nodeName")), Updated, "get 200, merge 200, apply 200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startServer(t).child(test.one, Desired{})
			c.wish.HashKey = ""
			c.expect(test.one, Created, "post 201")
			c.wish.HashKey = hashKey
			c.restart()
			c.expect(test.one, test.action, test.requests)
			c.expect(test.one, Unchanged, "")
		})
	}
}

func TestImmutableField(t *testing.T) {
	one := gadget(object{"fixed": "one"})
	two := gadget(object{"fixed": "two"})
	wrong := gadget(object{"fixed": "two", "size": "large"})
	for _, policy := range []declared.ImmutablePolicy{"", declared.RecreateIfImmutable} {
		t.Run(string(policy), func(t *testing.T) {
			c := startServer(t).child(one, Desired{Policies: declared.Policies{WhenImmutable: policy}})
			c.expect(one, Created, "post 201")
			if policy == declared.RecreateIfImmutable {
				c.expect(two, NeedsRecreation, "dry post 201, json-patch 422, dry post 201")
			} else {
				_, err := c.reconcile(two)
				want := "spec.fixed cannot be changed in place; whenImmutable: Recreate would recreate the child: Invalid value: \"two\": fixed is immutable"
				if err == nil || err.Error() != want {
					t.Errorf("error is %v, want %s", err, want)
				}
				if immutable := new(ErrImmutable); !errors.As(err, immutable) || !apierrors.IsInvalid(err) || !slices.Equal(immutable.Fields, []string{"spec.fixed"}) {
					t.Errorf("error is %+v", err)
				}
			}
			if outcome, err := c.reconcile(wrong); err == nil || errors.As(err, new(ErrImmutable)) {
				t.Errorf("what is invalid in any case: %+v, %v", outcome, err)
			}
			c.expectAt("in the end", "spec.fixed", "one")
		})
	}
}

// After somebody wiped managedFields, the manager that the API server generates must not keep
// fields that the desired state drops later, and the apply must not take fields of others.
func TestWipedManagedFields(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(ways[plain], func(t *testing.T) {
			one := configMap("key", "one", "gone", "soon")
			c := startServer(t).child(one, Desired{})
			c.applied = !plain
			c.expect(one, Created, creation[plain])
			c.edit("someone", func(object client.Object) { object.(*corev1.ConfigMap).Data["theirs"] = "stays" })
			c.expect(one, Unchanged, "")
			c.edit("someone", func(object client.Object) { object.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) })
			c.expect(one, Updated, "get 200, merge 200, apply 200")
			c.expect(one, Unchanged, "")
			c.expect(configMap("key", "one"), Updated, "dry post 201, dry post 201, apply 200")
			c.expectAt("after a change", "data", map[string]any{"key": "one", "theirs": "stays"})
		})
	}
}

// After a wipe while the operator was down, the manager that the API server generates must not own
// the defaults in an object that the desired state drops later. What others have set stays theirs.
func TestDropOfAnObjectAfterAWipeAndARestart(t *testing.T) {
	probed := container(func(c *corev1.Container) {
		c.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)}}}
	})
	for _, plain := range []bool{false, true} {
		t.Run(ways[plain], func(t *testing.T) {
			c := startServer(t).child(probed, Desired{})
			c.applied = !plain
			c.expect(probed, Created, creation[plain])
			c.edit("someone", editPod(func(spec *corev1.PodSpec) { spec.TerminationGracePeriodSeconds = new(int64(5)) }))
			c.edit("someone", func(object client.Object) { object.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) })
			c.restart()
			c.settle(probed)
			c.restart()
			if outcome := c.settle(deployment(nil)); outcome.Action != Updated {
				t.Errorf("the action is %q", outcome.Action)
			}
			c.expectAt("after the drop", inContainer+"readinessProbe", nil)
			c.expectAt("after the drop", "spec.template.spec.terminationGracePeriodSeconds", int64(5))
		})
	}
}

// unavailable is a client whose dry runs of creates fail for a while.
type unavailable struct{ client.Writer }

func (c unavailable) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if slices.Contains(options, client.CreateOption(client.DryRunAll)) {
		return apierrors.NewServiceUnavailable("for a moment")
	}
	return c.Writer.Create(ctx, object, options...)
}

// An apply without the fields of a create would leave the defaults with the generated manager for good, so that it
// waits until a dry run has an answer.
func TestWipeAfterARestartWaitsForTheDryRun(t *testing.T) {
	child := deployment(nil)
	c := startServer(t).child(child, Desired{})
	c.expect(child, Created, creation[true])
	c.edit("someone", func(object client.Object) { object.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) })
	c.restart()
	available := c.Applier.Client
	c.Applier.Client = unavailable{available}
	if outcome, err := c.reconcile(child); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("the child is %s, %v, want the error of the dry run", outcome.Action, err)
	}
	c.Applier.Client = available
	c.now = c.now.Add(10 * time.Minute) // a write that failed is delayed
	c.settle(child)
	for _, entry := range c.live().GetManagedFields() {
		if entry.Manager == beforeFirstApply && strings.Contains(entry.FieldsV1.GetRawString(), "f:terminationMessagePath") {
			t.Errorf("%s owns a default: %s", entry.Manager, entry.FieldsV1.GetRawString())
		}
	}
}

func TestAutoscalerTakesOverADefault(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(ways[plain], func(t *testing.T) {
			c := startServer(t).child(deployment(nil), Desired{})
			c.applied = !plain
			c.expect(deployment(nil), Created, creation[plain])
			scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 5}}
			live := c.live()
			if err := c.SubResource("scale").Update(t.Context(), live, client.WithSubResourceBody(scale)); err != nil {
				t.Fatal(err)
			}
			c.expect(deployment(nil), Unchanged, "")
			c.restart()
			c.expect(deployment(nil), Unchanged, "")
			c.settle(container(func(c *corev1.Container) { c.Image = "web:2" }))
			c.expectAt("after a change", "spec.replicas", int64(5))
			c.expectAt("after a change", inContainer+"image", "web:2")
		})
	}
}

// A change of one value after a create costs one request, and the dry run of a create. The first that drops a field costs
// two more. The first after which the cluster's own controllers have set another field, such as the revision, costs a
// dry run of the former state.
func TestRequestsAfterACreate(t *testing.T) {
	image := func(image string) client.Object {
		return container(func(c *corev1.Container) { c.Image = image })
	}
	replicas := func(n int32) client.Object {
		return deployment(func(d *appsv1.Deployment, _ *corev1.Container) { d.Spec.Replicas = ptr.To(n) })
	}
	c := startServer(t).child(deployment(nil), Desired{})
	reconcile := func(object client.Object, requests string) {
		t.Helper()
		c.made()
		c.settle(object)
		if made := strings.Replace(c.made(), "dry post 201, dry post 201", "dry post 201", 1); made != requests && !strings.Contains(made, "409") { // which the cluster's own controllers cause
			t.Errorf("requests: %q, want %q", made, requests)
		}
	}
	reconcile(image("web:1"), "post 201")
	reconcile(image("web:2"), "dry post 201, json-patch 200")
	reconcile(image("web:3"), "dry post 201, json-patch 200")
	reconcile(replicas(3), "dry post 201, get 200, merge 200, apply 200") // takes a default, which could as well be a dropped field
	reconcile(image("web:3"), "dry post 201, apply 200")
	c.expectAt("dropped", "spec.replicas", int64(1))
	c.restart()
	reconcile(image("web:4"), "dry post 201, apply 200")
}

func TestNameConflict(t *testing.T) {
	for _, adoption := range []declared.AdoptionPolicy{declared.AdoptNever, declared.AdoptIfUnowned} {
		t.Run(string(adoption), func(t *testing.T) {
			c := startServer(t).child(configMap(), Desired{Policies: declared.Policies{Adopt: adoption}})
			theirs := configMap("key", "theirs")
			theirs.SetNamespace(c.namespace)
			if err := c.Create(t.Context(), theirs); err != nil {
				t.Fatal(err)
			}
			outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(configMap("key", "ours")), nil)
			want := map[declared.AdoptionPolicy]any{declared.AdoptNever: "theirs", declared.AdoptIfUnowned: "ours"}[adoption]
			if errors.As(err, new(ErrNameConflict)) != (adoption == declared.AdoptNever) || outcome.Action != map[declared.AdoptionPolicy]Action{declared.AdoptIfUnowned: Adopted}[adoption] {
				t.Errorf("%+v, %v", outcome, err)
			}
			c.expectAt("in the end", "data.key", want)
		})
	}
}

// The manager that the API server generates for an object without owners of its fields, at the apply
// that adopts it, must not keep what the desired state drops later.
func TestDropAfterAnAdoptionOfAWipedObject(t *testing.T) {
	for name, states := range map[string][2]client.Object{
		"ConfigMap": {configMap("key", "ours", "gone", "soon"), configMap("key", "ours")},
		"Gadget":    {gadget(object{"tree": object{"key": "ours", "gone": "soon"}}), gadget(object{"tree": object{"key": "ours"}})},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := states[0], states[1]
			c := startServer(t).child(named(before), Desired{Policies: declared.Policies{Adopt: declared.AdoptIfUnowned}})
			theirs := named(before.DeepCopyObject().(client.Object))
			theirs.SetNamespace(c.namespace)
			if err := c.Create(t.Context(), theirs); err != nil {
				t.Fatal(err)
			}
			c.edit("someone", func(object client.Object) { object.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) })
			if outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(before), nil); err != nil || outcome.Action != Adopted {
				t.Fatalf("%+v, %v", outcome, err)
			}
			c.settle(after)
			path := map[string]string{"ConfigMap": "data", "Gadget": "spec.tree"}[name]
			c.expectAt("after the drop", path, map[string]any{"key": "ours"})
		})
	}
}

// A child that a stale cache does not show is not created twice.
func TestOwnChildIsNoNameConflict(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(ways[plain], func(t *testing.T) {
			c := startServer(t).child(configMap(), Desired{})
			c.applied = !plain
			c.settle(configMap("key", "one"))
			c.restart()
			outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(configMap("key", "two")), nil)
			if err != nil || outcome.Action != Updated {
				t.Errorf("%+v, %v", outcome, err)
			}
			c.expectAt("in the end", "data.key", "two")
		})
	}
}

// A change that OnDelete postpones reaches the child under another strategy.
func TestAnotherStrategyTakesOverAnOutdatedChild(t *testing.T) {
	one, two := configMap("key", "one"), configMap("key", "two")
	for strategy, expected := range map[declared.UpdateStrategy]struct {
		action   Action
		requests string
	}{
		declared.InPlace:  {Updated, "json-patch 200"},
		declared.Recreate: {NeedsRecreation, "dry apply 200"},
	} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startServer(t).child(one, Desired{Policies: declared.Policies{Update: declared.OnDelete}})
			c.expect(one, Created, "post 201")
			c.expect(two, Unchanged, "")
			c.wish.Update = strategy
			c.expect(two, expected.action, expected.requests)
		})
	}
}
