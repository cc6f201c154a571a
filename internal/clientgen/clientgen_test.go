package clientgen

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/gengo/v2/parser"
	"k8s.io/klog/v2"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/workdir"
)

// project is a project of testdata.
type project struct {
	*spec.Project
	packages []gomodel.Package
	crds     []*apiextv1.CustomResourceDefinition
}

func readProject(t *testing.T, name string) project {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var p project
	var apis []*spec.API
	var problems spec.Problems
	for _, f := range archive.Files {
		var found spec.Problems
		if f.Name == "opgen.yaml" {
			p.Project, found = spec.ParseProject(f.Name, f.Data)
		} else {
			var api *spec.API
			api, found = spec.ParseAPI(f.Name, f.Data)
			apis = append(apis, api)
		}
		problems = append(problems, found...)
	}
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var summaries []*spec.Summary
	for _, api := range apis {
		summaries = append(summaries, api.Summary())
	}
	problems = spec.Check(p.Project, summaries, nil)
	for _, api := range apis {
		crd, found := crdgen.CRD(api, p.MinKubernetes)
		p.crds, problems = append(p.crds, crd), append(problems, found...)
	}
	packages, found := gomodel.Packages(p.Project, apis)
	p.packages = packages
	if err := append(problems, found...).Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// write writes the module of a project with its API packages, and the files of its clients.
func (p project) write(t *testing.T, dir string, clients []File) {
	t.Helper()
	files := append(moduleFiles(t, p.Module), clients...)
	for _, pkg := range p.packages {
		for name, render := range map[string]func(gomodel.Package) ([]byte, error){
			"types.go": templates.Types, "deepcopy.go": templates.DeepCopy, "register.go": templates.Register,
		} {
			content, err := render(pkg)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, File{pkg.Dir + "/" + name, content})
		}
	}
	writeFiles(t, dir, files)
}

// moduleFiles are the files that make a folder a module with what opgen requires.
func moduleFiles(t *testing.T, module string) []File {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	return []File{
		{"go.mod", regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module "+module))},
		{"go.sum", sum},
	}
}

func writeFiles(t *testing.T, dir string, files []File) {
	t.Helper()
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// vet compiles a module.
func vet(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out)
	}
}

// TestGeneratorsSeeTheSource runs code-generator as its own commands do, on Go packages that it
// parses from disk: what comes out must be what comes out here.
func TestGeneratorsSeeTheSource(t *testing.T) {
	longtest.Skip(t, "code-generator parses packages of Kubernetes, and go vets the clients")
	p := readProject(t, "oracle.txtar")
	got, err := Files(p.Module, p.packages, p.crds, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := workdir.New(t, "clients-oracle")
	p.write(t, dir, got)
	vet(t, dir)

	if diff := cmp.Diff(texts(p.oracle(t, dir)), texts(got)); diff != "" {
		t.Errorf("-code-generator on the source, +on the types of crdgen:\n%s", diff)
	}
}

// oracle runs code-generator on the packages of the project, parsed from the source in dir.
func (p project) oracle(t *testing.T, dir string) []File {
	t.Helper()
	oracle := &plan{root: p.Module + "/client", dir: t.TempDir(), groups: groupsOf(p.packages), crds: p.crds}
	var paths []string
	for _, g := range oracle.groups {
		for i := range g.versions {
			v := &g.versions[i]
			v.path = v.ImportPath
			paths = append(paths, v.path)
			tags := "// +groupName=" + g.name + "\n// +groupGoName=" + g.goName + "\npackage " + v.Name + "\n"
			if err := os.WriteFile(filepath.Join(dir, v.Dir, "doc.go"), []byte(tags), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Chdir(dir)
	oracle.parser = func() (*parser.Parser, error) {
		parsed := parser.NewWithOptions(parser.Options{BuildTags: []string{"ignore_autogenerated"}})
		return parsed, parsed.LoadPackages(paths...)
	}
	want, err := oracle.generateFiles()
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func texts(files []File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = string(f.Content)
	}
	return out
}

func TestClientsOfAnyNameCompile(t *testing.T) {
	longtest.Skip(t, "go vets many clients")
	p := readProject(t, "names.txtar")
	files, err := Files(p.Module, p.packages, p.crds, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := workdir.New(t, "clients-names")
	p.write(t, dir, files)
	vet(t, dir)
}

func TestFiles(t *testing.T) {
	p := readProject(t, "names.txtar")
	files, err := Files(p.Module, p.packages, p.crds, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := texts(files)
	for name, content := range all {
		if !strings.HasPrefix(name, "client/") || path.Clean(name) != name {
			t.Errorf("%s: lies outside of client/", name)
		}
		if !strings.HasPrefix(content, "// Code generated by opgen. DO NOT EDIT.\n\n") {
			t.Errorf("%s: does not say first who made it", name)
		}
		for _, forbidden := range []string{"opgen.invalid", "invalid.opgen", os.TempDir() + "/"} {
			if strings.Contains(content, forbidden) {
				t.Errorf("%s: has %s", name, forbidden)
			}
		}
	}
	for name, wants := range map[string][]string{
		"client/applyconfiguration/typeexamplecom/v1/import.go": {
			`b.WithKind("import")`, `b.WithAPIVersion("type.example.com/v1")`, `Type("com.example.names.api.type.v1.Import")`,
		},
		"client/applyconfiguration/utils.go":                                 {`.WithKind("import"):`},
		"client/clientset/versioned/typed/typeexamplecom/v1/importobject.go": {`"imports",`, "ImportList"},
		"client/clientset/versioned/typed/x3scale/v1/fish.go":                {`"fish",`, "Fish(namespace string) FishInterface"},
		"client/clientset/versioned/typed/shopexamplecom/v1/typeobject.go":   {"TypeObjects(namespace string) TypeInterface"},
		"client/clientset/versioned/clientset.go": {
			"ShopExampleComV1()", "ShopExampleOrgV1()", "InternalExampleComV1()", "MyGroupV1()", "X3scaleV1()",
		},
		"client/listers/mygroup/v1/interface.go": {"NewInterfaceLister"},
	} {
		for _, want := range wants {
			if !strings.Contains(all[name], want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
	}
	again, err := Files(p.Module, p.packages, p.crds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, texts(again)); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
	if none, err := Files(p.Module, nil, nil, nil); len(none) > 0 || err != nil {
		t.Errorf("without kinds: %v, %v", none, err)
	}
}

func TestGeneratorsCannotEndTheProcess(t *testing.T) {
	for name, run := range map[string]func() error{
		"panic": func() error { panic("no such tag") },
		"fatal": func() error { klog.Fatal("no such tag"); return nil },
	} {
		if err := recoverError(run); err == nil || !strings.HasPrefix(err.Error(), "code-generator: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
