package templates

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

func TestAliasIsTheCustomaryName(t *testing.T) {
	tests := map[string]string{
		"k8s.io/api/core/v1":                          "corev1",
		"k8s.io/api/autoscaling/v2":                   "autoscalingv2",
		"k8s.io/api/networking/v1beta1":               "networkingv1beta1",
		"example.org/monitoring/api/v1":               "monitoringv1",
		"example.org/cert-manager/apis/acme/v1alpha2": "acmev1alpha2",
		"example.org/cert-manager/pkg":                "pkg",
		"example.org/go-things.v2":                    "gothingsv2",
	}
	for path, want := range tests {
		if got := importAlias(path); got != want {
			t.Errorf("alias(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestSyncSkeletonNamesWhatItsChildrenNeed(t *testing.T) {
	widget := kinds.Child{Resource: kinds.Resource{Field: "Widgets", APIVersion: "example.org/v1", Kind: "Widget", Namespaced: true, Foreign: true}}
	pod := kinds.Child{Resource: kinds.Resource{Field: "Pods", APIVersion: "v1", Kind: "Pod", GoPackage: "k8s.io/api/core/v1", GoName: "Pod", Namespaced: true}}
	role := kinds.Child{Resource: kinds.Resource{Field: "Roles", APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", GoPackage: "k8s.io/api/rbac/v1", GoName: "ClusterRole"}}
	tests := map[string]struct {
		scope spec.Scope
		child kinds.Child
		want  string
	}{
		"a typed child": {spec.Namespaced, pod, `
	//	want.Pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: req.Parent.Name}})
`},
		"an unstructured child": {spec.Namespaced, widget, `
	//	widget := operator.Unstructured("example.org/v1", "Widget")
	//	widget.SetName(req.Parent.Name)
	//	want.Widgets.Add(widget)
`},
		"a typed child of a cluster-scoped parent": {spec.Cluster, pod, `
	//	want.Pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: req.Parent.Name, Namespace: "default"}})
`},
		"an unstructured child of a cluster-scoped parent": {spec.Cluster, widget, `
	//	widget.SetName(req.Parent.Name)
	//	widget.SetNamespace("default")
`},
		"a cluster-scoped child": {spec.Cluster, role, `
	//	want.Roles.Add(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: req.Parent.Name}})
`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := echo()
			o.Alias = "demov1"
			o.Parent.API = &spec.API{Header: spec.Header{Scope: test.scope}}
			o.Children = []kinds.Child{test.child}
			source, err := SyncFile(o)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(source), test.want) {
				t.Errorf("no%s in:\n%s", test.want, source)
			}
		})
	}
}

// echo is an operator whose imports all want the same name.
func echo(status ...gomodel.Field) Operator {
	return Operator{
		Module: "example.com/p",
		API: gomodel.Package{
			Name: "v1", Dir: "api/v1", ImportPath: "example.com/p/api/v1", Group: "core.example.com", Version: "v1",
			Types: []gomodel.Type{{Name: "EchoStatus", Fields: status}},
		},
		Alias:  "corev1",
		Parent: gomodel.Kind{API: &spec.API{Header: spec.Header{Scope: spec.Namespaced}}, Name: "Echo", Status: "EchoStatus"},
		Children: []kinds.Child{
			{Resource: kinds.Resource{Field: "Pods", APIVersion: "v1", Kind: "Pod", GoPackage: "k8s.io/api/core/v1", GoName: "Pod", Registered: true}, Spec: spec.Child{Update: spec.InPlace}},
			{Resource: kinds.Resource{Field: "Cores", APIVersion: "x/v1", Kind: "Core", GoPackage: "example.org/core/v1", GoName: "Core", Foreign: true}, Spec: spec.Child{Update: spec.InPlace}},
		},
	}
}

func TestOperatorFileKeepsImportsApart(t *testing.T) {
	source, err := OperatorFile(echo())
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, i := range file.Imports {
		if i.Name != nil {
			names[i.Path.Value] = i.Name.Name
		}
	}
	want := map[string]string{
		`"example.com/p/api/v1"`: "corev1",
		`"k8s.io/api/core/v1"`:   "corev12",
		`"example.org/core/v1"`:  "corev13",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if schemes := "SchemeBuilder{corev1.AddToScheme, corev13.AddToScheme}"; !strings.Contains(string(source), schemes) {
		t.Errorf("no %s in:\n%s", schemes, source)
	}
}

func TestRuntimeGetsOnlyTheStatusFieldsThatFit(t *testing.T) {
	condition := &gomodel.GoType{Shape: gomodel.Name, Name: "Condition", Package: "k8s.io/apimachinery/pkg/apis/meta/v1"}
	text := &gomodel.GoType{Shape: gomodel.Name, Name: "string"}
	number := &gomodel.GoType{Shape: gomodel.Name, Name: "int64"}
	tests := map[string]struct {
		fields                         []gomodel.Field
		conditions, generation, others string
	}{
		"the standard status": {
			fields: []gomodel.Field{
				{Name: "Phase", Type: text, Tag: "phase,omitempty"},
				{Name: "Conditions", Type: &gomodel.GoType{Shape: gomodel.List, Elem: condition}, Tag: "conditions,omitempty"},
				{Name: "ObservedGeneration", Type: number, Tag: "observedGeneration,omitempty"},
			},
			conditions: "Conditions", generation: "ObservedGeneration", others: "Phase",
		},
		"fields of the same names and other types": {
			fields: []gomodel.Field{
				{Name: "Conditions", Type: &gomodel.GoType{Shape: gomodel.List, Elem: text}, Tag: "conditions"},
				{Name: "ObservedGeneration", Type: text, Tag: "observedGeneration"},
			},
			others: "Conditions, ObservedGeneration",
		},
		"nothing": {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v := newOperatorView(echo(test.fields...))
			got := []string{v.Conditions(), v.ObservedGeneration(), v.StatusFields()}
			if diff := cmp.Diff([]string{test.conditions, test.generation, test.others}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
