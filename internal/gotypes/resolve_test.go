package gotypes_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the expected output")

// TestGoldenResolve holds the types of a module against what is expected of each: its form, how it
// is copied, and its schema. Types that cannot be in an API are problems where the spec file names
// them.
func TestGoldenResolve(t *testing.T) {
	a := archive(t, "module.txtar")
	dir := module(t, a)
	got := map[string]string{}
	for _, name := range []string{"good.yaml", "bad.yaml"} {
		api := parse(t, a, name)
		problems, err := gotypes.Resolve(gotypes.Source{Dir: dir}, uses(api, "example.com/m/api/v1"))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = described(t, api, problems)
	}
	golden(t, "resolved.txtar", got)
}

func described(t *testing.T, api *spec.API, problems spec.Problems) string {
	t.Helper()
	text := ""
	for _, use := range api.GoTypes() {
		if use.Schema.Go == nil || use.Schema.Go.Package == "k8s.io/api/core/v1" {
			continue
		}
		schema, err := yaml.Marshal(use.Schema.Go)
		if err != nil {
			t.Fatal(err)
		}
		text += "# " + use.Path + " at " + use.Pos.String() + "\n" + string(schema)
	}
	if len(problems) > 0 {
		text += problems.Error() + "\n"
	}
	return text
}

// TestResolveAgreesWithTheBundle holds what is read of Kubernetes' own packages against what opgen
// knows of them.
func TestResolveAgreesWithTheBundle(t *testing.T) {
	names := []string{
		"core/v1.PodTemplateSpec", "core/v1.ResourceList", "core/v1.LocalObjectReference", "core/v1.PullPolicy",
		"meta/v1.Time", "meta/v1.Duration", "meta/v1.Condition", "meta/v1.LabelSelector", "resource.Quantity",
		"intstr.IntOrString", "runtime.RawExtension", "apiextensions/v1.JSON",
	}
	var all []gotypes.Use
	for _, name := range names {
		known, _ := kubetypes.TypeByName(name)
		all = append(all, gotypes.Use{GoTypeUse: spec.GoTypeUse{Schema: &spec.Schema{Type: known.GoPackage + "." + known.GoName}}})
	}
	problems, err := gotypes.Resolve(gotypes.Source{Dir: module(t, archive(t, "module.txtar"))}, all)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	for i, name := range names {
		want, _ := kubetypes.TypeByName(name)
		read := all[i].Schema.Go
		got := kubetypes.Type{
			GoPackage: read.Package, GoName: read.Name, Schema: read.Schema,
			Form: kubetypes.Form(read.Form), Copy: kubetypes.Copy(read.Copy), Elem: kubetypes.Copy(read.Elem),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -bundle +source:\n%s", name, diff)
		}
	}
}

func TestResolveNothing(t *testing.T) {
	problems, err := gotypes.Resolve(gotypes.Source{Dir: "/does/not/exist"}, nil)
	if err != nil || problems != nil {
		t.Errorf("without a type to read, packages were: %v %v", problems, err)
	}
}

func TestResolveWithoutWhatItNeeds(t *testing.T) {
	use := []gotypes.Use{{GoTypeUse: spec.GoTypeUse{Schema: &spec.Schema{Type: "example.com/m/internal/shared.Endpoint"}}}}
	dir := t.TempDir()
	fails := func(want string) {
		t.Helper()
		if _, err := gotypes.Resolve(gotypes.Source{Dir: dir}, use); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	fails("there is no go.mod in " + dir)
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\nnonsense\n"))
	fails("go.mod:3: unknown directive: nonsense")
	t.Setenv("PATH", "")
	fails("the go command is not in PATH")
}

// golden compares texts by name with those of an archive in testdata.
func golden(t *testing.T, name string, got map[string]string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		var a txtar.Archive
		for _, key := range sortedKeys(got) {
			a.Files = append(a.Files, txtar.File{Name: key, Data: []byte(got[key])})
		}
		if err := os.WriteFile(path, txtar.Format(&a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	a := archive(t, name)
	for _, key := range sortedKeys(got) {
		if diff := cmp.Diff(string(file(a, key)), got[key]); diff != "" {
			t.Errorf("%s: -want +got:\n%s", key, diff)
		}
	}
}
