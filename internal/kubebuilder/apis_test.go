package kubebuilder

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

// goFile returns a Go file of a package with a group, and with kinds in which markers are written before each name, such as
// "// +kubebuilder:storageversion\nTree".
func goFile(pkg, group string, kinds ...string) *fstest.MapFile {
	text := "// +groupName=" + group + "\npackage " + pkg + "\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
	for _, k := range kinds {
		at := strings.LastIndex(k, "\n") + 1
		text += "\n" + k[:at] + "type " + k[at:] + " struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n"
	}
	return &fstest.MapFile{Data: []byte(text)}
}

func texts(problems spec.Problems) (texts []string) {
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return texts
}

func TestSpecFileSaysWhatMarkersSay(t *testing.T) {
	p := &Project{Domain: "example.com", Resources: []Resource{
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v2", Kind: "Tree"},
		{API: &struct{}{}, Domain: "example.com", Group: "garden", Version: "v1", Kind: "Tree"},
		{Core: true, Group: "core", Version: "v1", Kind: "Pod"},
	}}
	tree := fstest.MapFS{
		"api/v1/tree.go": goFile("v1", "garden.example.com", "// +kubebuilder:object:root=true\n// +kubebuilder:unservedversion\n// +kubebuilder:deprecatedversion:warning=\"use v2\"\nTree"),
		"api/v2/all.go": goFile("v2", "garden.example.com", "// +kubebuilder:storageversion\n// +kubebuilder:resource:path=woods,scope=Cluster,shortName=tr;t,categories=plants\n"+
			"// +kubebuilder:metadata:annotations=\"a=b\",labels=\"c=yes\"\n\n// Tree grows.\nTree"),
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
	apis, problems := ReadAPIs(p, Settings{EmbeddedMetadata: spec.NoMetadata}, tree)
	files := apis.Files
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

func resource(group, kind, path string) Resource {
	return Resource{API: &struct{}{}, Domain: "example.com", Group: group, Version: "v1", Kind: kind, Path: path, Pos: spec.Pos{File: FileName, Line: 7, Column: 3}}
}

// The kinds are those of the code, in the group of the code. Whatever is left out is named.
func TestKindsAreThoseOfTheCode(t *testing.T) {
	listed := []Resource{resource("garden", "Tree", "example.com/orchard/api/v1")}
	tree := func(files fstest.MapFS) fstest.MapFS {
		files["api/v1/tree.go"] = goFile("v1", "garden.example.com", "Tree")
		return files
	}
	tests := []struct {
		name       string
		project    Project
		tree       fstest.MapFS
		files      []string
		domain     string
		multigroup bool
		left       []string
	}{
		{"a kind beside those of PROJECT", Project{Resources: listed}, tree(fstest.MapFS{"api/v1/bush.go": goFile("v1", "garden.example.com", "Bush")}),
			[]string{"api/bush.yaml garden.example.com", "api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"a version beside those of PROJECT", Project{Resources: listed}, tree(fstest.MapFS{"api/v2/tree.go": goFile("v2", "garden.example.com", "// +kubebuilder:storageversion\nTree")}),
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"no resource at all", Project{}, tree(fstest.MapFS{}), []string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"another group than that of PROJECT", Project{Resources: []Resource{resource("example.com", "Tree", "")}}, tree(fstest.MapFS{}),
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"no group in the code", Project{Resources: listed}, fstest.MapFS{"api/v1/tree.go": goFile("v1", "", "Tree")},
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"folders of groups without multigroup", Project{Resources: listed}, fstest.MapFS{"api/garden/v1/tree.go": goFile("v1", "garden.example.com", "Tree")},
			[]string{"api/tree.yaml garden.example.com"}, "example.com", true, nil},
		{"folders of groups of another domain", Project{Resources: listed}, fstest.MapFS{"api/garden/v1/tree.go": goFile("v1", "garden.example.org", "Tree")},
			[]string{"api/tree.yaml garden.example.org"}, "example.org", true, nil},
		{"multigroup without folders of groups", Project{Resources: listed, Multigroup: true}, tree(fstest.MapFS{}),
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"a group of the spelling of 2020", Project{Resources: listed}, fstest.MapFS{"api/v1/tree.go": {Data: []byte(strings.Replace(string(goFile("v1", "garden.example.com", "Tree").Data), "Name=", "Name:=", 1))}},
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"types in vendor and in testdata", Project{Resources: listed}, tree(fstest.MapFS{"vendor/a/api/v1/a.go": goFile("v1", "a.org", "A"), "pkg/testdata/b.go": goFile("v1", "b.org", "B")}),
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, nil},
		{"a kind elsewhere that PROJECT does not list", Project{Resources: listed}, tree(fstest.MapFS{"pkg/other/other.go": goFile("v1", "other.org", "Other")}),
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, []string{
				"pkg/other/other.go:6:6: Other of other.org/v1 is left out: PROJECT does not list it, and it is in none of the packages of the kinds there\n    list it in PROJECT if the operator brings its CRD; if another project does, nothing is missing"}},
		{"a configuration that PROJECT lists", Project{Resources: append(listed, resource("config", "Configuration", ""))}, tree(fstest.MapFS{"api/config/v1/c.go": {Data: []byte("package v1\ntype Configuration struct{}\n")}}),
			[]string{"api/tree.yaml garden.example.com"}, "example.com", false, []string{
				"PROJECT:7:3: resources: Configuration of config.example.com/v1 is left out: no Go type of this name embeds metav1.TypeMeta and metav1.ObjectMeta, so that controller-gen makes no CRD of it either\n    if it is a kind, embed both; if it is none, such as the configuration of a program, nothing is missing"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.project.Domain, test.project.Repo = "example.com", "example.com/orchard"
			apis, problems := ReadAPIs(&test.project, Settings{}, test.tree)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var files []string
			for _, f := range apis.Files {
				_, group, _ := strings.Cut(string(f.Content), "\ngroup: ")
				group, _, _ = strings.Cut(group, "\n")
				files = append(files, f.Name+" "+group)
			}
			if diff := cmp.Diff(test.files, files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if apis.Domain != test.domain || apis.Multigroup != test.multigroup {
				t.Errorf("domain %s, multigroup %v", apis.Domain, apis.Multigroup)
			}
			if diff := cmp.Diff(test.left, texts(apis.Left)); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTypesElsewhereAreNamed(t *testing.T) {
	sed := func(from, to string) string {
		return " && git grep -lF " + from + " | xargs perl -pi -e 's#\\Q" + from + "\\E\\b#" + to + "#g'"
	}
	tests := []struct {
		name      string
		multgroup bool
		tree      fstest.MapFS
		want      []string
	}{
		{"apis", true, fstest.MapFS{"apis/garden/v1/tree.go": goFile("v1", "garden.example.com", "Tree", "Bush")}, []string{
			"apis/garden/v1/tree.go:6:6: the types of garden.example.com/v1 are in apis/garden/v1 (Tree, Bush), and opgen reads them in api/garden/v1\n" +
				"    move the package, and change its import path:\n    mkdir -p api/garden && git mv apis/garden/v1 api/garden/v1" + sed("example.com/orchard/apis/garden/v1", "example.com/orchard/api/garden/v1")}},
		{"a module of their own", false, fstest.MapFS{"apis/go.mod": {Data: []byte("module example.com/orchard/apis\n")}, "apis/v1/tree.go": goFile("v1", "garden.example.com", "Tree")}, []string{
			"apis/v1/tree.go:6:6: the types of garden.example.com/v1 are in apis/v1 (Tree), and opgen reads them in api/v1\n" +
				"    move the package, and change its import path:\n    git mv apis api" + sed("example.com/orchard/apis", "example.com/orchard/api")}},
		{"two groups", false, fstest.MapFS{"api/v1/tree.go": goFile("v1", "garden.example.com", "Tree"), "api-hub/v1/hub.go": goFile("v1", "hub.example.com", "Hub")}, []string{
			"api/v1/tree.go:6:6: the types of garden.example.com/v1 are in api/v1 (Tree), and opgen reads them in api/garden/v1\n" +
				"    move the package, and change its import path:\n    mkdir -p api/garden && git mv api/v1 api/garden/v1" + sed("example.com/orchard/api/v1", "example.com/orchard/api/garden/v1"),
			"api-hub/v1/hub.go:6:6: the types of hub.example.com/v1 are in api-hub/v1 (Hub), and opgen reads them in api/hub/v1\n" +
				"    move the package, and change its import path:\n    mkdir -p api/hub && git mv api-hub/v1 api/hub/v1" + sed("example.com/orchard/api-hub/v1", "example.com/orchard/api/hub/v1")}},
		{"a package with a name of its own", false, fstest.MapFS{"api/v1/tree.go": {Data: []byte("// +versionName=v1\n" + string(goFile("v1io", "garden.example.com", "Tree").Data))}}, []string{
			"api/v1/tree.go:7:6: the package in api/v1 is called v1io, and opgen's files for garden.example.com/v1 are of package v1\n" +
				"    rename it: perl -pi -e 's/^package v1io\\b/package v1/' api/v1/*.go"}},
		{"a package for each kind", false, fstest.MapFS{"api/garden/v1/tree.go": goFile("v1", "garden.example.com", "Tree"), "api/bush/v1/bush.go": goFile("v1", "garden.example.com", "Bush")}, []string{
			"api/bush/v1/bush.go:6:6: the types of garden.example.com/v1 are in api/bush/v1 (Bush), and opgen reads them in api/garden/v1\n" +
				"    a group and a version have one package: move the files of api/bush/v1 into api/garden/v1, and change their import path"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.tree["go.mod"] = &fstest.MapFile{Data: []byte("module example.com/orchard\n")}
			p := &Project{Domain: "example.com", Repo: "example.com/orchard", Multigroup: test.multgroup, Resources: []Resource{
				resource("garden", "Tree", ""), resource("hub", "Hub", ""),
			}}
			_, problems := ReadAPIs(p, Settings{}, test.tree)
			if diff := cmp.Diff(test.want, texts(problems)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkersThatCannotBeReadAreNamed(t *testing.T) {
	tree := fstest.MapFS{"api/v1/typo.go": goFile("v1", "garden.example.com", "// +kubebuilder:resource:nosuch=1\nTypo")}
	if _, problems := ReadAPIs(&Project{Domain: "example.com"}, Settings{}, tree); len(problems) != 1 || problems[0].Pos.Line != 6 {
		t.Error(problems)
	}
}
