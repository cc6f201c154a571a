package clientgen

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/workdir"
)

// readAuthored reads a project with Go types of its author, which it writes into dir with what is
// generated of its API packages. It returns these packages by import path.
func readAuthored(t *testing.T, dir, name string) (project, map[string]*packages.Package) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var p project
	var apis []*spec.API
	var problems spec.Problems
	var files []File
	for _, f := range archive.Files {
		var found spec.Problems
		switch {
		case f.Name == "opgen.yaml":
			p.Project, found = spec.ParseProject(f.Name, f.Data)
			files = append(files, moduleFiles(t, p.Module)...)
		case path.Ext(f.Name) == ".go":
			files = append(files, File{f.Name, f.Data})
		default:
			var api *spec.API
			api, found = spec.ParseAPI(f.Name, f.Data)
			apis = append(apis, api)
		}
		problems = append(problems, found...)
	}
	all, found := gomodel.Packages(p.Project, apis)
	if err := append(problems, found...).Err(); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, append(files, generated(t, all)...))
	read, problems, err := gotypes.Versions(gotypes.Source{Dir: dir}, ofAuthors(all))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for i, api := range apis {
		if filled := read.APIs[api]; filled != nil {
			apis[i] = filled
		}
		crd, found := crdgen.CRD(apis[i], p.MinKubernetes)
		p.crds, problems = append(p.crds, crd), append(problems, found...)
	}
	p.packages, found = gomodel.Packages(p.Project, apis)
	if err := append(problems, found...).Err(); err != nil {
		t.Fatal(err)
	}
	for _, pkg := range p.packages {
		writeFiles(t, dir, []File{{pkg.Dir + "/zz_generated.deepcopy.go", read.DeepCopy[pkg.ImportPath]}})
	}
	return p, read.Packages
}

func generated(t *testing.T, all []gomodel.Package) []File {
	t.Helper()
	var files []File
	for _, pkg := range all {
		register, err := templates.Register(pkg)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{pkg.Dir + "/zz_generated.register.go", register})
		if len(pkg.Types) == 0 {
			continue
		}
		types, err := templates.Types(pkg)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{pkg.Dir + "/zz_generated.types.go", types})
	}
	return files
}

func ofAuthors(all []gomodel.Package) []gotypes.AuthoredPackage {
	var out []gotypes.AuthoredPackage
	for _, pkg := range all {
		read := gotypes.AuthoredPackage{ImportPath: pkg.ImportPath, Dir: pkg.Dir}
		for _, k := range pkg.Kinds {
			if k.GoTypes {
				read.Kinds = append(read.Kinds, gotypes.KindVersion{API: k.API, List: k.List})
			}
		}
		out = append(out, read)
	}
	return out
}

// TestGeneratorsSeeTheAuthorsTypes is TestGeneratorsSeeTheSource for types that opgen has not made
// itself: those that it has read from Go source must be what the generators' own parser makes of
// it.
func TestGeneratorsSeeTheAuthorsTypes(t *testing.T) {
	longtest.Skip(t, "code-generator parses packages of Kubernetes, and go vets the clients")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	dir := workdir.New(t, "clients-authored")
	p, authored := readAuthored(t, dir, "authored.txtar")
	got, err := Files(p.Module, p.packages, p.crds, authored)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, got)
	vet(t, dir)

	// What opgen knows from the API files, and the parser has to find in the source.
	const scale = "k8s.io/api/autoscaling/v1.Scale"
	replace(t, filepath.Join(dir, "api/shop/v1/cache_types.go"), "// Cache keeps things.\n",
		"// +genclient\n"+
			"// +genclient:method=GetScale,verb=get,subresource=scale,result="+scale+"\n"+
			"// +genclient:method=UpdateScale,verb=update,subresource=scale,input="+scale+",result="+scale+"\n"+
			"// +resourceName=cachez\n"+
			"// Cache keeps things.\n")
	replace(t, filepath.Join(dir, "api/shop/v1/cache_types.go"), "// +genclient\ntype Unused", "type Unused")
	replace(t, filepath.Join(dir, "api/data/v1beta1/pool_types.go"), "// +genclient:noStatus\n",
		"// +genclient:noStatus\n// +genclient:nonNamespaced\n// +resourceName=pools\n")
	if diff := cmp.Diff(texts(p.oracle(t, dir)), texts(got)); diff != "" {
		t.Errorf("-code-generator on the source, +on the types that were read:\n%s", diff)
	}
}

func replace(t *testing.T, file, old, with string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(content), old) != 1 {
		t.Fatalf("%s: no place for\n%s", file, with)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(content), old, with, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}
