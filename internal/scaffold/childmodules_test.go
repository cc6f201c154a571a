package scaffold

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

func TestMissingModules(t *testing.T) {
	tree := fstest.MapFS{"go.mod": {Data: []byte("module example.com/op\n\nrequire example.com/lib v1.0.0\n")}}
	api := &spec.Summary{Header: spec.Header{Operator: &spec.Operator{}}}
	for kind, goType := range map[string]string{
		"Pod": "", "Own": "example.com/op/api/v1.Own", "Lib": "example.com/lib/v1.Lib", "Std": "net/url.URL",
	} {
		api.Operator.Children = append(api.Operator.Children, spec.Child{Resource: spec.Resource{Kind: kind, GoType: goType}})
	}
	if got := MissingModules(tree, []*spec.Summary{api, {}}, nil); got != nil {
		t.Errorf("nothing is missing, got %v", got)
	}
	api.Operator.Children = append(api.Operator.Children, spec.Child{Resource: spec.Resource{Kind: "Certificate", GoType: "example.com/library/v1.Certificate"}})
	want := []VersionMismatch{{Path: "go.mod", Message: "has no module for the Go type of Certificate: run go get example.com/library/v1"}}
	if diff := cmp.Diff(want, MissingModules(tree, []*spec.Summary{api}, nil)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := MissingModules(fstest.MapFS{}, []*spec.Summary{api}, nil); got != nil {
		t.Errorf("without go.mod: %v", got)
	}
	controller := &spec.Controller{Operator: api.Operator, Parents: []spec.Parent{
		{Resource: spec.Resource{Kind: "Issuer", GoType: "example.com/library/v1.Issuer"}},
	}}
	want = append([]VersionMismatch{{Path: "go.mod", Message: "has no module for the Go type of Issuer: run go get example.com/library/v1"}}, want...)
	if diff := cmp.Diff(want, MissingModules(tree, nil, []*spec.Controller{controller})); diff != "" {
		t.Errorf("of a controller, -want +got:\n%s", diff)
	}
	rule := &spec.Summary{Header: spec.Header{Operator: &spec.Operator{Children: []spec.Child{{ReadyWhen: spec.Expression{Text: "true"}}}}}}
	want = []VersionMismatch{{Path: "go.mod", Message: "has no module for rules (readyWhen): run go mod tidy"}}
	if diff := cmp.Diff(want, MissingModules(tree, []*spec.Summary{rule}, nil)); diff != "" {
		t.Errorf("of a rule, -want +got:\n%s", diff)
	}
}
