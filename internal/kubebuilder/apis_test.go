package kubebuilder

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

func TestSpecFileSaysWhatMarkersSay(t *testing.T) {
	p := &Project{Domain: "example.com", Resources: []Resource{
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v2", Kind: "Tree"},
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v1", Kind: "Tree"},
		{Core: true, Group: "core", Version: "v1", Kind: "Pod"},
	}}
	tree := fstest.MapFS{
		"api/v1/tree.go": {Data: []byte("package v1\n\n// +kubebuilder:object:root=true\n// +kubebuilder:unservedversion\n// +kubebuilder:deprecatedversion:warning=\"use v2\"\ntype Tree struct{}\n")},
		"api/v2/all.go": {Data: []byte("package v2\n\n// +kubebuilder:storageversion\n// +kubebuilder:resource:path=woods,scope=Cluster,shortName=tr;t,categories=plants\n" +
			"// +kubebuilder:metadata:annotations=\"a=b\",labels=\"c=yes\"\n\n// Tree grows.\ntype Tree struct{}\n")},
	}
	want := `# yaml-language-server: $schema=../zz_generated.spec.schema.json
# After a change here, run: opgen generate
apiVersion: opgen.dev/v1alpha1
kind: API
group: garden.example.com
names:
  kind: Tree
  plural: woods
  shortNames:
  - tr
  - t
  categories:
  - plants
scope: Cluster
metadata:
  annotations:
    a: b
  labels:
    c: "yes"
embeddedMetadata: false # as controller-gen has it
versions:
- name: v1
  goTypes: true
  served: false
  deprecated: true
  deprecationWarning: use v2
- name: v2
  goTypes: true
  storage: true
`
	files, problems := SpecFiles(p, Settings{EmbeddedMetadata: spec.NoMetadata}, tree)
	if len(problems) > 0 || len(files) != 1 || files[0].Name != "api/tree.yaml" {
		t.Fatalf("%v, %+v", problems, files)
	}
	if diff := cmp.Diff(want, string(files[0].Content)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, problems := spec.ParseAPI(files[0].Name, files[0].Content); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestTypesElsewhereAreNamed(t *testing.T) {
	p := &Project{Domain: "example.com", Repo: "example.com/orchard", Multigroup: true, Resources: []Resource{
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v1", Kind: "Tree", Path: "example.com/orchard/apis/garden/v1", Pos: spec.Pos{File: FileName, Line: 7, Column: 3}},
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v1", Kind: "Gone", Path: "example.com/orchard/api/garden/v1", Pos: spec.Pos{File: FileName, Line: 9, Column: 3}},
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v1", Kind: "Typo", Path: "example.com/orchard/api/garden/v1", Pos: spec.Pos{File: FileName, Line: 12, Column: 3}},
	}}
	tree := fstest.MapFS{
		"apis/garden/v1/tree.go": {Data: []byte("package v1\n\ntype Tree struct{}\n")},
		"api/garden/v1/typo.go":  {Data: []byte("package v1\n\n// +kubebuilder:resource:nosuch=1\ntype Typo struct{}\n")},
	}
	_, problems := SpecFiles(p, Settings{}, tree)
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	want := []string{
		"PROJECT:7:3: resources: there is no type Tree in api/garden/v1, where opgen reads the types of garden.example.com/v1\n" +
			"    move the package: git mv apis/garden/v1 api/garden/v1, and change its import path in the Go files and in PROJECT",
		"PROJECT:9:3: resources: there is no type Gone in api/garden/v1, where opgen reads the types of garden.example.com/v1\n" +
			"    take the resource out of PROJECT, or move the type there",
	}
	if diff := cmp.Diff(want, got[:min(2, len(got))]); diff != "" || len(got) != 3 {
		t.Errorf("%d problems: %q (-want +got):\n%s", len(got), got, diff)
	}
}
