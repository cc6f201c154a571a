package gomodel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/spec"
)

// TestNamedTypesOfTwoAPIs shows which Go types two APIs of one package get for their named types.
func TestNamedTypesOfTwoAPIs(t *testing.T) {
	parse := func(kind, types string) *spec.API {
		t.Helper()
		text := "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: " + kind + "}\ntypes:\n  " + types +
			"\nversions: [{name: v1, spec: {properties: {tls: TLS, more: \"[]TLS\"}}, status: {properties: {tls: TLS}}}]\n"
		api, problems := spec.ParseAPI(kind+".yaml", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return api
	}
	for _, tc := range []struct {
		given, first, second, want string
	}{
		{"equal types", "TLS: {properties: {a: string}}", "TLS: {properties: {a: string}}", "TLS"},
		{"equal types that use others", "{TLS: {properties: {p: P}}, P: string}", "{TLS: {properties: {p: P}}, P: string}", "P TLS"},
		{"other fields", "TLS: {properties: {a: string}}", "TLS: {properties: {b: string}}", "BetaTLS TLS"},
		{"other limits", "TLS: {properties: {a: string}}", "TLS: {properties: {a: string | minLength=1}}", "BetaTLS TLS"},
		{"other types below", "{TLS: {properties: {p: P}}, P: string}", "{TLS: {properties: {p: P}}, P: int32}", "BetaP BetaTLS P TLS"},
		{"another Go name", "TLS: {properties: {a: string}}", "TLS: {goName: Secured, properties: {a: string}}", "Secured TLS"},
		{"a name of every package", "Resource: {properties: {a: string}}\n  TLS: Resource", "TLS: {properties: {a: string}}", "AlphaResource TLS"},
		{"the name of a kind", "TLS: {properties: {a: Beta}}\n  Beta: string", "TLS: {properties: {a: string}}", "AlphaBeta BetaTLS TLS"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			pkg := packages(t, &spec.Project{Module: "m"}, parse("Alpha", tc.first), parse("Beta", tc.second))[0]
			var got []string
			for _, declared := range pkg.Types {
				if name := declared.Name; !slices.Contains(strings.Fields("Alpha AlphaSpec AlphaStatus AlphaList Beta BetaSpec BetaStatus BetaList"), name) {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if text := strings.Join(got, " "); text != tc.want {
				t.Errorf("got %s, want %s", text, tc.want)
			}
		})
	}
}

// TestNamedRoots shows that spec and status can have a named type.
func TestNamedRoots(t *testing.T) {
	text := `apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Echo}
types:
  EchoSpec: {properties: {a: string | required}}
  Phases: map[string]string
versions: [{name: v1, spec: EchoSpec, status: Phases, standardStatus: false}]
`
	api, problems := spec.ParseAPI("api.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	kind := packages(t, &spec.Project{Module: "m"}, api)[0].Kinds[0]
	if kind.Spec != "EchoSpec" || kind.Status != "Phases" {
		t.Errorf("got %s and %s", kind.Spec, kind.Status)
	}
}
