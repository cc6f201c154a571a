package gomodel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// api returns an API of one version with the given properties of its spec.
func api(t *testing.T, group, version, kind, properties string) *spec.API {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: opgen.dev/v1alpha1
kind: API
group: %s
names: {kind: %s}
scope: Namespaced
versions: [{name: %s, spec: {properties: %s}}]
`, group, kind, version, properties)
	api, problems := spec.ParseAPI("api.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return api
}

func packages(t *testing.T, project *spec.Project, apis ...*spec.API) []gomodel.Package {
	t.Helper()
	packages, problems := gomodel.Packages(project, apis)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return packages
}

func TestPackages(t *testing.T) {
	echo := api(t, "demo.example.com", "v1", "Echo", "{a: string}")
	relay := api(t, "demo.example.com", "v1", "Relay", "{a: string}")
	beta := api(t, "demo.example.com", "v1beta1", "Relay", "{a: string}")
	foreign := api(t, "demo.other.org", "v1", "Other", "{a: string}")
	digits := api(t, "3d-print.example.com", "v2", "Printer", "{a: string}")
	internal := api(t, "internal.example.com", "v1", "Echo", "{a: string}")
	tests := []struct {
		name    string
		project spec.Project
		apis    []*spec.API
		want    []string
	}{
		{"one version", spec.Project{Module: "example.com/op"}, []*spec.API{echo, relay},
			[]string{"api/v1 example.com/op/api/v1 demov1 [Echo Relay]"}},
		{"two versions", spec.Project{Module: "example.com/op"}, []*spec.API{beta, echo},
			[]string{"api/v1 example.com/op/api/v1 demov1 [Echo]", "api/v1beta1 example.com/op/api/v1beta1 demov1beta1 [Relay]"}},
		{"two groups", spec.Project{Module: "m", Domain: "example.com", Multigroup: true}, []*spec.API{echo, foreign},
			[]string{"api/demo.other.org/v1 m/api/demo.other.org/v1 demootherorgv1 [Other]", "api/demo/v1 m/api/demo/v1 demoexamplecomv1 [Echo]"}},
		{"a group that Go means a folder by", spec.Project{Module: "m", Domain: "example.com", Multigroup: true}, []*spec.API{internal},
			[]string{"api/internal.example.com/v1 m/api/internal.example.com/v1 internalv1 [Echo]"}},
		{"a group that is no identifier", spec.Project{Module: "m"}, []*spec.API{digits},
			[]string{"api/v2 m/api/v2 x3dprintv2 [Printer]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			var all []*spec.Summary
			for _, api := range tt.apis {
				all = append(all, api.Summary())
			}
			aliases := gomodel.Aliases(all)
			for _, p := range packages(t, &tt.project, tt.apis...) {
				var kinds []string
				for _, k := range p.Kinds {
					kinds = append(kinds, k.Name)
				}
				got = append(got, fmt.Sprint(p.Dir, " ", p.ImportPath, " ", aliases[p.Group+"/"+p.Version], " ", kinds))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTypeNames(t *testing.T) {
	tests := []struct{ name, properties, want string }{
		{"nested", "{tls: {properties: {cert: {properties: {a: {type: string}}}}}}", "EchoTLS EchoTLSCert"},
		{"items", "{ports: {type: array, items: {properties: {a: {type: string}}}}}", "EchoPort"},
		{"items without a singular", "{data: {type: array, items: {properties: {a: {type: string}}}}}", "EchoDatum"},
		{"values", "{backends: {type: object, additionalProperties: {properties: {a: {type: string}}}}}", "EchoBackend"},
		{"of a field whose name is set by hand", "{tls: {goName: Certificates, type: object, properties: {inner: {properties: {a: {type: string}}}}}}", "EchoCertificates EchoCertificatesInner"},
		{"two paths that join to one name", "{fooBar: {properties: {a: {type: string}}}, foo: {properties: {bar: {properties: {a: {type: string}}}}}}",
			"EchoFooBar EchoFoo EchoFooBar2"},
		{"taken by the kind itself", "{spec: {properties: {a: {type: string}}}, list: {properties: {a: {type: string}}}}", "EchoSpec2 EchoList2"},
		{"taken by another kind", "{server: {properties: {a: {type: string}}}}", "EchoServer2"},
		{"constants", "{mode: {type: string, enum: [a, A, tls, '']}, modeA: {type: object, properties: {a: {type: string}}}}", "EchoMode EchoModeA3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg := packages(t, &spec.Project{Module: "m"},
				api(t, "demo.example.com", "v1", "Echo", tt.properties), api(t, "demo.example.com", "v1", "EchoServer", "{a: string}"))[0]
			var got []string
			for _, typ := range pkg.Types {
				switch typ.Name {
				case "Echo", "EchoSpec", "EchoStatus", "EchoList", "EchoServer", "EchoServerSpec", "EchoServerStatus", "EchoServerList":
				default:
					got = append(got, typ.Name)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}
