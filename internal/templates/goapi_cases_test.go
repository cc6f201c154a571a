package templates

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// apiCase is an API of testdata/goapi with what is made from it.
type apiCase struct {
	name     string
	path     string
	archive  *txtar.Archive
	crd      *apiextv1.CustomResourceDefinition
	packages []gomodel.Package
}

// oracleModule is the Go module that the packages of all cases are in, each below a folder of its
// own.
const oracleModule = "example.com/oracle"

func apiCases(t testing.TB) []apiCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/goapi/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []apiCase
	for _, path := range paths {
		c := apiCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path}
		if c.archive, err = txtar.ParseFile(path); err != nil {
			t.Fatal(err)
		}
		api, problems := spec.ParseAPI("api.yaml", c.file(t, "api.yaml"))
		if len(problems) > 0 {
			t.Fatalf("%s: %v", path, problems)
		}
		if c.crd, problems = crdgen.CRD(api, spec.DefaultMinKubernetes); len(problems) > 0 {
			t.Fatalf("%s: %v", path, problems)
		}
		project := &spec.Project{Module: oracleModule + "/" + c.name}
		if c.packages, problems = gomodel.Packages(project, []*spec.API{api}); len(problems) > 0 {
			t.Fatalf("%s: %v", path, problems)
		}
		cases = append(cases, c)
	}
	return cases
}

// file returns a file of the case, nil when it has none of that name.
func (c apiCase) file(t testing.TB, name string) []byte {
	t.Helper()
	for _, f := range c.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// rendered returns the Go files of a package by their names.
func rendered(t testing.TB, pkg gomodel.Package) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for name, render := range map[string]func(gomodel.Package) ([]byte, error){
		"zz_generated.types.go":    Types,
		"zz_generated.deepcopy.go": DeepCopy,
		"zz_generated.register.go": Register,
	} {
		source, err := render(pkg)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files[name] = source
	}
	return files
}
