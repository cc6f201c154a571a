package crddiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// echoSpec is the spec file of a kind with two versions and a pod template.
const echoSpec = `apiVersion: opgen.dev/v1alpha1
kind: API
group: example.com
names: {kind: Echo, plural: echoes, shortNames: [ec, e], categories: [all]}
metadata: {labels: {team: a}}
versions:
- name: v1
  served: true
  storage: true
  spec:
    properties:
      # How many there are.
      replicas: int32 | maximum=5
      # What runs.
      template: core/v1.PodTemplateSpec
  columns:
  - {name: Replicas, path: .spec.replicas}
  - {name: Phase, path: .status.phase}
  scale: {specReplicas: .spec.replicas, statusReplicas: .status.replicas}
  status: {properties: {replicas: int32, phase: string}}
- name: v2
  served: true
  spec: {properties: {replicas: int32}}
`

func makeEcho(t *testing.T) crddiff.Made {
	t.Helper()
	api, problems := crdgen.Parse("api/echo.yaml", []byte(echoSpec), spec.DefaultMinKubernetes)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	crd, problems := crdgen.CRD(api, spec.DefaultMinKubernetes)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return crddiff.Made{CRD: crd, API: api}
}

// at is a part of a schema: the one at a path of fields, where [] stands for items.
func at(s *apiextv1.JSONSchemaProps, path string, change func(*apiextv1.JSONSchemaProps)) {
	name, rest, _ := strings.Cut(path, ".")
	if path == "" {
		change(s)
		return
	}
	if name == "[]" {
		at(s.Items.Schema, rest, change)
		return
	}
	below := s.Properties[name]
	at(&below, rest, change)
	s.Properties[name] = below
}

func TestCompareCRDs(t *testing.T) {
	made := makeEcho(t)
	for _, c := range []struct {
		name     string
		change   func(*apiextv1.CustomResourceDefinition)
		served   bool
		expected string
	}{
		{"nothing", func(*apiextv1.CustomResourceDefinition) {}, false, ""},
		{"what an API server and a generator add", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Annotations = map[string]string{"controller-gen.kubebuilder.io/version": "v0.21.0"}
			crd.Spec.Conversion = &apiextv1.CustomResourceConversion{Strategy: apiextv1.NoneConverter}
			crd.Spec.Names.ShortNames = []string{"e", "ec"}
			crd.Spec.Versions[0], crd.Spec.Versions[1] = crd.Spec.Versions[1], crd.Spec.Versions[0]
			crd.Status.StoredVersions = []string{"v1"}
			crd.UID, crd.Generation, crd.ResourceVersion = "u", 7, "9"
		}, false, ""},
		{"labels of others in a cluster", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Annotations = map[string]string{"cert-manager.io/inject-ca-from": "a/b"}
			crd.Labels = map[string]string{"team": "a", "app.kubernetes.io/managed-by": "Helm"}
		}, true, ""},
		{"labels in a file", func(crd *apiextv1.CustomResourceDefinition) { crd.Labels = map[string]string{"team": "b", "x": "y"} }, false,
			"metadata.labels[team]: \"a\" | \"b\"\nmetadata.labels[x]:  | \"y\""},
		{"a label that is gone", func(crd *apiextv1.CustomResourceDefinition) { crd.Labels = nil }, true, `metadata.labels[team]: "a" | `},
		{"names", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Spec.Names.ShortNames, crd.Spec.Names.Categories, crd.Spec.Names.ListKind = []string{"ec"}, nil, "Echoes"
		}, false, "names.categories: [all] | \nnames.listKind: EchoList | Echoes\nnames.shortNames: [e, ec] | [ec]"},
		{"a plural", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Names.Plural = "echos" }, false, "names.plural: echoes | echos objects stay with the other CRD"},
		{"a scope", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Scope = apiextv1.ClusterScoped }, false, "scope: Namespaced | Cluster objects make the API server reject the CRD"},
		{"a conversion", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Spec.Conversion = &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter}
		}, false, `conversion: {"strategy":"None"} | {"strategy":"Webhook"}`},
		{"served and stored", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage, crd.Spec.Versions[1].Served = false, true, false
			crd.Spec.Versions[1].Deprecated = true
		}, false, "v1.storage: true | \nv2.deprecated:  | true\nv2.served: true | \nv2.storage:  | true"},
		{"a version less", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Versions = crd.Spec.Versions[:1] }, false, "v2: version v2 | "},
		{"a version more", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Spec.Versions = append(crd.Spec.Versions, apiextv1.CustomResourceDefinitionVersion{Name: "v0"})
		}, false, "v0:  | version v0"},
		{"a version more that is stored", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Spec.Versions = append(crd.Spec.Versions, apiextv1.CustomResourceDefinitionVersion{Name: "v0"})
			crd.Status.StoredVersions = []string{"v0", "v1"}
		}, true, "v0:  | version v0 objects make the API server reject the CRD"},
		{"columns", func(crd *apiextv1.CustomResourceDefinition) {
			crd.Spec.Versions[0].AdditionalPrinterColumns[0].JSONPath = ".x"
		}, false,
			`v1.columns[Replicas]: {"jsonPath":".spec.replicas","type":"integer"} | {"jsonPath":".x","type":"integer"}`},
		{"the order of columns", func(crd *apiextv1.CustomResourceDefinition) {
			columns := crd.Spec.Versions[0].AdditionalPrinterColumns
			columns[0], columns[1] = columns[1], columns[0]
		}, false, "v1.columns: [Replicas, Phase] | [Phase, Replicas]"},
		{"no scale", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Versions[0].Subresources.Scale = nil }, false,
			`v1.subresources.scale: {"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"} | `},
		{"no subresource", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Versions[0].Subresources.Status = nil }, false, "v1.subresources.status: true | "},
		{"an older type", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template.spec", func(s *apiextv1.JSONSchemaProps) { delete(s.Properties, "hostname") })
		}, false, "v1.spec.template.spec.hostname: field |  (types)"},
		{"a newer type", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template.spec.containers.[]", func(s *apiextv1.JSONSchemaProps) {
				s.Properties["next"] = apiextv1.JSONSchemaProps{Type: "string"}
			})
		}, false, "v1.spec.template.spec.containers[].next:  | field (types) objects lose this field"},
		{"what a type says", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template.spec.nodeName", func(s *apiextv1.JSONSchemaProps) { s.Description = "other words" })
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "kind", func(s *apiextv1.JSONSchemaProps) { s.Description = "the kind" })
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template", func(s *apiextv1.JSONSchemaProps) { s.Description = "What ran." })
		}, false, "v1.kind.description: Kind is a string valu | the kind (types)\nv1.spec.template.description: What runs. | What ran. (description)\nv1.spec.template.spec.nodeName.description: NodeName indicates in | other words (types)"},
		{"no schema", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Versions[1].Schema = nil }, false, "v2.apiVersion: field |  (types)\nv2.kind: field |  (types)\nv2.metadata: field | \nv2.spec: field | \nv2.type: \"object\" |  objects may be refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			theirs := made.CRD.DeepCopy()
			c.change(theirs)
			got := lines(crddiff.Compare([]crddiff.Made{made}, []crddiff.Other{{CRD: theirs, Served: c.served}}))
			if diff := cmp.Diff(c.expected, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	made := makeEcho(t)
	theirs := made.CRD.DeepCopy()
	theirs.Spec.Names.ShortNames = nil
	at(theirs.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.replicas", func(s *apiextv1.JSONSchemaProps) { s.Maximum = nil })
	var got []string
	for _, d := range crddiff.Compare([]crddiff.Made{made}, []crddiff.Other{{CRD: theirs}}).Pairs[0].Differences {
		got = append(got, fmt.Sprintf("%s %v", d.Path, d.Pos))
	}
	if diff := cmp.Diff([]string{"names.shortNames api/echo.yaml:4:49", "v1.spec.replicas.maximum api/echo.yaml:13:25"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestConversionThatKustomizeAddsDoesNotCount(t *testing.T) {
	const fromControllerGen = "controller-gen.kubebuilder.io/version"
	for name, test := range map[string]struct {
		annotations map[string]string
		served      bool
		differences int
	}{
		"what controller-gen has written": {map[string]string{fromControllerGen: "v0.21.0"}, false, 0},
		"the same in a cluster":           {map[string]string{fromControllerGen: "v0.21.0"}, true, 2},
		"what others have written":        {nil, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := makeEcho(t), makeEcho(t).CRD
			ours.CRD.Annotations = map[string]string{"cert-manager.io/inject-ca-from": "a/b"}
			ours.CRD.Spec.Conversion = &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter}
			theirs.Annotations = test.annotations
			report := crddiff.Compare([]crddiff.Made{ours}, []crddiff.Other{{CRD: theirs, Served: test.served}})
			if got := len(report.Pairs[0].Differences); got != test.differences {
				t.Errorf("%d differences, want %d: %v", got, test.differences, report.Pairs[0].Differences)
			}
		})
	}
}

// What tools of a cluster wrote is no difference, also in a file that was read from a cluster.
func TestMarksOfToolsDoNotCount(t *testing.T) {
	ours, theirs := makeEcho(t), makeEcho(t).CRD
	theirs.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "a", "team": "b"}
	theirs.Annotations = map[string]string{"meta.helm.sh/release-name": "a", "argocd.argoproj.io/tracking-id": "c"}
	report := crddiff.Compare([]crddiff.Made{ours}, []crddiff.Other{{CRD: theirs}})
	if differences := report.Pairs[0].Differences; len(differences) != 1 || !strings.Contains(fmt.Sprint(differences[0]), "team") {
		t.Errorf("differences %v", differences)
	}
}
