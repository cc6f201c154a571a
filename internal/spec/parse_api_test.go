package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const echoServer = `
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: EchoServer, shortNames: [echo]}
versions:
- name: v1alpha1
  spec:
    properties:
      serviceName: string | required
      replicas: int32 | default=1
      started: time
  status:
    properties: {phase: string, replicas: int32}
  columns:
  - {name: Phase, path: .status.phase}
  - {name: Replicas, path: .spec.replicas}
  - {name: Started, path: .spec.started}
  - {name: Ready, path: '.status.conditions[?(@.type=="Ready")].status'}
  - {name: Age, path: .metadata.creationTimestamp}
  - {name: Generation, path: .status.observedGeneration, type: string, priority: 1}
  scale: {specReplicas: .spec.replicas, statusReplicas: .status.replicas}
  selectableFields: [.spec.serviceName]
operator:
  finalize: true
  children:
  - {apiVersion: v1, kind: Pod, update: Recreate}
  - {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy}
  - {apiVersion: cert-manager.io/v1, kind: Certificate, plural: certificates, scope: Namespaced, goType: example.com/cm/v1.Certificate, as: Certs}
  - {apiVersion: v1, kind: PersistentVolumeClaim, whenDropped: Delete, whenDeleted: Delete, pruneOnly: true}
  rbac:
  - {apiGroups: [""], resources: [nodes], verbs: [get, list]}
`

func TestParseAPIFillsInWhatIsImplied(t *testing.T) {
	api := mustParse(t, echoServer)
	version := api.Versions[0]
	want := &API{
		Header: Header{
			Group: "demo.example.com",
			Names: Names{Kind: "EchoServer", GoKind: "EchoServer", GoListKind: "EchoServerList", ListKind: "EchoServerList", Plural: "echoservers", Singular: "echoserver", ShortNames: []string{"echo"}},
			Scope: Namespaced,
			Operator: &Operator{
				Finalize: true,
				Teardown: TeardownTogether,
				Children: []Child{
					childOf(Resource{APIVersion: "v1", Kind: "Pod", As: "Pods"}, func(c *Child) { c.Update = Recreate }),
					childOf(Resource{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy", As: "NetworkPolicies"}),
					childOf(Resource{
						APIVersion: "cert-manager.io/v1", Kind: "Certificate", Plural: "certificates", Scope: Namespaced,
						GoType: "example.com/cm/v1.Certificate", As: "Certs",
					}),
					childOf(Resource{APIVersion: "v1", Kind: "PersistentVolumeClaim", As: "PersistentVolumeClaims"}, func(c *Child) { c.PruneOnly = true }),
				},
				RBAC: []PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list"}}},
			},
		},
		Versions: []Version{{
			Name: "v1alpha1", Served: true, Storage: true, StandardStatus: true,
			Spec: version.Spec, Status: version.Status, // seen in tests of their own
			Columns: []Column{
				{Name: "Phase", Path: ".status.phase", Type: "string"},
				{Name: "Replicas", Path: ".spec.replicas", Type: "integer"},
				{Name: "Started", Path: ".spec.started", Type: "date"},
				{Name: "Ready", Path: `.status.conditions[?(@.type=="Ready")].status`, Type: "string"},
				{Name: "Age", Path: ".metadata.creationTimestamp", Type: "date"},
				{Name: "Generation", Path: ".status.observedGeneration", Type: "string", Priority: 1},
			},
			Scale:            &Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"},
			SelectableFields: []string{".spec.serviceName"},
			StandardRoot:     true,
			Subresources:     Subresources{Status: true},
		}},
	}
	if diff := cmp.Diff(want, api, cmpopts.IgnoreTypes(Pos{}), cmpopts.IgnoreFields(Header{}, "File", "At")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseAPIKeepsPositions(t *testing.T) {
	api := mustParse(t, echoServer)
	for path, want := range map[string]string{
		"group":                       "api/echoserver.yaml:4:8",
		"names.kind":                  "api/echoserver.yaml:5:15",
		"names.shortNames[0]":         "api/echoserver.yaml:5:40",
		"versions[0].columns[1].path": "api/echoserver.yaml:17:28",
		"versions[0].scale":           "api/echoserver.yaml:22:10",
		"versions[0].status":          "api/echoserver.yaml:14:5",
		"operator.children[0].kind":   "api/echoserver.yaml:27:28",
	} {
		if got := api.At[path].String(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	replicas := api.Versions[0].Spec.Properties[1]
	if got, want := replicas.Pos.String(), "api/echoserver.yaml:11:7"; got != want {
		t.Errorf("field: got %s, want %s", got, want)
	}
	if got, want := replicas.Schema.At["default"].String(), "api/echoserver.yaml:11:25"; got != want {
		t.Errorf("marker: got %s, want %s", got, want)
	}
}

func TestStandardStatus(t *testing.T) {
	const own = "  status:\n    properties:\n      conditions: '[]meta/v1.Condition | maxItems=8'\n      phase: string\n"
	for _, tc := range []struct {
		given, text string
		want        []string
		standard    bool
	}{
		{"a status", apiHead + "  status: {properties: {phase: string}}\n", []string{"phase", "observedGeneration", "conditions"}, true},
		{"an empty status", apiHead + "  status: {}\n", []string{"observedGeneration", "conditions"}, true},
		{"own conditions", apiHead + own, []string{"conditions", "phase", "observedGeneration"}, true},
		{"no standard status", apiHead + "  standardStatus: false\n" + own, []string{"conditions", "phase"}, false},
		{"no status", apiHead + "  spec: {}\n", nil, false},
		{"no status but an operator", apiHead + "operator: {}\n", []string{"observedGeneration", "conditions"}, true},
		{"neither status nor standard status", apiHead + "  standardStatus: false\noperator: {}\n", nil, false},
	} {
		t.Run(tc.given, func(t *testing.T) {
			v := mustParse(t, tc.text).Versions[0]
			var got []string
			if v.Status != nil {
				got = v.Status.fieldNames()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || v.StandardStatus != tc.standard {
				t.Errorf("standard %v, fields -want +got:\n%s", v.StandardStatus, diff)
			}
			if v.Status != nil && v.Status.Keywords.Type != "object" {
				t.Errorf("type is %q", v.Status.Keywords.Type)
			}
		})
	}
}

func TestStandardConditionsAreAListMap(t *testing.T) {
	c := mustParse(t, apiHead+"  status: {}\n").Versions[0].Status.Property("conditions")
	if c.Keywords.Type != "array" || *c.Keywords.XListType != "map" || c.Keywords.XListMapKeys[0] != "type" || c.Items.Type != TypeCondition {
		t.Errorf("got %+v", c)
	}
}

func TestVersionsImplyStorageOnlyAlone(t *testing.T) {
	api := mustParse(t, apiHead+"  served: false\n- {name: v1, storage: true}\n")
	if a, b := api.Versions[0], api.Versions[1]; a.Storage || a.Served || !b.Storage || !b.Served {
		t.Errorf("got %+v", api.Versions)
	}
}

func TestParseProject(t *testing.T) {
	const head = "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: echo-operator\nmodule: example.com/echo-operator\n"
	for _, tc := range []struct {
		given, text string
		want        Project
	}{
		{"the least", head, Project{Watch: WatchCluster, MinKubernetes: DefaultMinKubernetes, MaxDescLen: -1, Webhooks: Certificates{From: CertManager}}},
		{
			"everything", head + "domain: example.com\nwatch: namespace\nmultigroup: true\nminKubernetes: \"1.35\"\nclients: true\n" +
				"maxDescLen: 80\nheaderFile: hack/boilerplate.go.txt\nignoreUnexportedFields: true\ntemplates: [house, .house/ci, example.com/house/templates]\n" +
				"webhooks: {certificates: secret, secret: tls, caBundle: Y2E=}\n",
			Project{
				Domain: "example.com", Watch: WatchNamespace, Multigroup: true, MinKubernetes: "1.35", Clients: true,
				MaxDescLen: 80, HeaderFile: "hack/boilerplate.go.txt", IgnoreUnexportedFields: true,
				Templates: []string{"house", ".house/ci", "example.com/house/templates"},
				Webhooks:  Certificates{From: CertificateSecret, Secret: "tls", CABundle: []byte("ca")},
			},
		},
	} {
		t.Run(tc.given, func(t *testing.T) {
			got, problems := ParseProject("opgen.yaml", []byte(tc.text))
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			tc.want.Name, tc.want.Module, tc.want.File = "echo-operator", "example.com/echo-operator", "opgen.yaml"
			if diff := cmp.Diff(&tc.want, got, cmpopts.IgnoreFields(Project{}, "At")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
