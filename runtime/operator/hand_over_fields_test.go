package operator_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Every way to desire a child, and every kind of path: the child keeps the value, and the operator
// does not own it.
func TestEveryFieldThatCanBeHandedOver(t *testing.T) {
	t.Parallel()
	typed := func(path string, set func(*appsv1.Deployment)) func(*workloadDesired, bool) {
		return func(want *workloadDesired, isSet bool) {
			deployment := deploymentWith("web:1", 0)
			if isSet {
				set(deployment)
			}
			want.Deployments.Add(deployment, operator.HandOver(path))
		}
	}
	rolling := func(d *appsv1.Deployment) {
		three := intstr.FromInt32(3)
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &three}
	}
	deployment := func() client.Object { return named(&appsv1.Deployment{}, "web") }
	widget := func() client.Object { return named(operator.Unstructured("test.opgen.dev/v1", "Widget"), "web") }
	for name, test := range map[string]struct {
		desire func(want *workloadDesired, isSet bool)
		child  func() client.Object
		path   []any
		value  any // that is kept; nil: it only has to be there
	}{
		"a false and zero value that Go leaves out": {typed(".spec.minReadySeconds", func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 5 }), deployment, []any{"spec", "minReadySeconds"}, int64(5)},
		"a nested field": {typed(".spec.strategy.rollingUpdate.maxSurge", rolling), deployment, []any{"spec", "strategy", "rollingUpdate", "maxSurge"}, int64(3)},
		"a subtree":      {typed(".spec.strategy", rolling), deployment, []any{"spec", "strategy", "rollingUpdate", "maxSurge"}, int64(3)},
		"an entry of a map": {typed(`.metadata.annotations.example\.com/owner`, func(d *appsv1.Deployment) {
			d.Annotations = map[string]string{"example.com/owner": "team"}
		}), deployment, []any{"metadata", "annotations", "example.com/owner"}, "team"},
		"a whole map": {typed(`.spec.template.metadata.annotations`, func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations = map[string]string{"a": "b"}
		}), deployment, []any{"spec", "template", "metadata", "annotations", "a"}, "b"},
		"a list with keys": {typed(".spec.template.spec.initContainers", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "init:1"}}
		}), deployment, []any{"spec", "template", "spec", "initContainers"}, nil},
		"an atomic list": {typed(".spec.template.spec.nodeSelector", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		}), deployment, []any{"spec", "template", "spec", "nodeSelector", "disk"}, "ssd"},
		"the data of a ConfigMap": {func(want *workloadDesired, isSet bool) {
			child := named(&corev1.ConfigMap{}, "web")
			if isSet {
				child.Data = map[string]string{"key": "value"}
			}
			want.ConfigMaps.Add(child, operator.HandOver(".data"))
		}, func() client.Object { return named(&corev1.ConfigMap{}, "web") }, []any{"data", "key"}, "value"},
		"an apply configuration": {func(want *workloadDesired, isSet bool) {
			labels := map[string]string{"app": "web"}
			spec := appsv1apply.DeploymentSpec().WithSelector(metav1apply.LabelSelector().WithMatchLabels(labels)).
				WithTemplate(corev1apply.PodTemplateSpec().WithLabels(labels).WithSpec(corev1apply.PodSpec().WithContainers(corev1apply.Container().WithName("main").WithImage("web:1"))))
			if isSet {
				spec.WithReplicas(0)
			}
			want.Deployments.Apply(appsv1apply.Deployment("web", "").WithSpec(spec), operator.HandOver(".spec.replicas"))
		}, deployment, []any{"spec", "replicas"}, int64(0)},
		"a field with a default of a custom resource": {func(want *workloadDesired, isSet bool) {
			want.Widgets.Add(widgetOf(isSet, map[string]any{"size": int64(7)}), operator.HandOver(".spec.size"))
		}, widget, []any{"spec", "size"}, int64(7)},
		"a field of no schema": {func(want *workloadDesired, isSet bool) {
			want.Widgets.Add(widgetOf(isSet, map[string]any{"tree": map[string]any{"branch": map[string]any{"leaf": "green"}}}), operator.HandOver(".spec.tree.branch"))
		}, widget, []any{"spec", "tree", "branch", "leaf"}, "green"},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, func(_ *workloadRequest, want *workloadDesired) { test.desire(want, true) })
			check := func(when string, isOwner bool) {
				t.Helper()
				w.Settled()
				child := test.child()
				if owners := w.owners(child, test.path...); slices.Contains(owners, siteManager) != isOwner {
					t.Errorf("%s: owned by %v", when, owners)
				}
				if value, ok := valueOf(t, child, test.path); !ok || test.value != nil && value != test.value {
					t.Errorf("%s: the value is %v", when, value)
				}
				w.converged()
			}
			check("at first", true)
			for range 2 {
				w.desire(func(_ *workloadRequest, want *workloadDesired) { test.desire(want, false) })
				check("handed over", false)
				w.Restart()
				check("after a restart", false)
				w.desire(func(_ *workloadRequest, want *workloadDesired) { test.desire(want, true) })
				check("set again", true)
			}
		})
	}
}

// widgetOf returns a Widget, with a spec if it is set.
func widgetOf(isSet bool, spec map[string]any) *unstructured.Unstructured {
	widget := named(operator.Unstructured("test.opgen.dev/v1", "Widget"), "web")
	if isSet {
		widget.Object["spec"] = spec
	}
	return widget
}

// valueOf returns the value of an object at a path.
func valueOf(t *testing.T, object client.Object, path []any) (value any, ok bool) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(path))
	for i, name := range path {
		names[i] = name.(string)
	}
	value, ok, err = unstructured.NestedFieldNoCopy(content, names...)
	if err != nil {
		t.Fatal(err)
	}
	return value, ok
}

// A handed over field that somebody else removes or that admission changes is not the operator's.
func TestHandedOverFieldThatOthersRemove(t *testing.T) {
	desire := func(isSet bool) workloadFunction {
		return func(_ *workloadRequest, want *workloadDesired) {
			child := configMap("web", "one")
			if isSet {
				child.Annotations = map[string]string{"note": "ours"}
			}
			want.ConfigMaps.Add(child, operator.HandOver(".metadata.annotations.note"))
		}
	}
	w := startWorkloads(t, nil, desire(true))
	w.desire(desire(false))
	child := named(&corev1.ConfigMap{}, "web")
	for _, note := range []map[string]string{{"note": "theirs"}, nil} {
		before := w.Settled()
		w.Update(child, func() {
			delete(child.Annotations, "note")
			for key, value := range note {
				child.Annotations[key] = value
			}
		})
		w.converged()
		w.sent(before, nil)
		if w.Get(child); child.Annotations["note"] != note["note"] {
			t.Errorf("the annotation is %q in place of %q", child.Annotations["note"], note["note"])
		}
	}
}

// The kind hands over for all its children, and an object is adopted with the values that kubectl
// has set.
func TestHandOverOfAKindAtAdoption(t *testing.T) {
	t.Parallel()
	handsOver := func(kind *operator.ChildKind) { kind.HandOver = []string{".spec.replicas"} }
	for name, manager := range map[string]string{"kubectl apply": "kubectl-client-side-apply", "a controller": "other"} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, handsOver, func(*workloadRequest, *workloadDesired) {})
			theirs := deploymentWith("web:1", 7)
			theirs.Namespace = w.Namespace
			if err := w.Client.Create(t.Context(), theirs, client.FieldOwner(manager)); err != nil {
				t.Fatal(err)
			}
			seen := w.watchReplicas()
			w.desire(func(_ *workloadRequest, want *workloadDesired) {
				want.Deployments.Add(deploymentWith("web:2", 0), operator.AdoptIfUnowned)
			})
			w.handedOver()
			w.converged()
			for _, replicas := range append(seen(), w.replicas()) {
				if replicas != 7 {
					t.Errorf("%d replicas meanwhile", replicas)
				}
			}
		})
	}
}

// A path that can hand over nothing is an error in the answer of Sync.
func TestHandOverOfNoField(t *testing.T) {
	w := startWorkloads(t, nil, func(*workloadRequest, *workloadDesired) {})
	for path, expected := range map[string]string{
		"spec.replicas":              `Deployment %s/web hands over: "spec.replicas" is not a path: a path starts with a dot, such as .spec.replicas`,
		".metadata.labels":           `Deployment %s/web hands over: .metadata.labels cannot be handed over: of the metadata, only single labels, single annotations and the finalizers can`,
		".kind":                      `Deployment %s/web hands over: .kind cannot be handed over`,
		".spec.template.spec.x[0].y": `selects items: a path ends at the list at the latest`,
	} {
		wrong := func(_ *workloadRequest, want *workloadDesired) {
			want.Deployments.Add(deploymentWith("web:1", 7), operator.HandOver(path))
		}
		w.desires.Store(&wrong)
		w.touch()
		w.saysOfReady(strings.ReplaceAll(expected, "%s", w.Namespace))
	}
}
