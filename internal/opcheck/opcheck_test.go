package opcheck_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/opcheck"
	"github.com/opgen-dev/opgen/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the expected problems in testdata")

// TestProblems compares what is wrong with the operator block of each API with the archive's last
// file.
func TestProblems(t *testing.T) {
	archives, err := filepath.Glob("testdata/problems/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var all spec.Problems
			last := len(archive.Files) - 1
			for _, f := range archive.Files[:last] {
				all = append(all, problems(t, f)...)
			}
			got := ""
			if err := all.Err(); err != nil {
				got = err.Error() + "\n"
			}
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(archive.Files[last].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func problems(t *testing.T, f txtar.File) spec.Problems {
	t.Helper()
	api, wrong := spec.ParseAPI(f.Name, f.Data)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	crd, wrong := crdgen.CRD(api, spec.DefaultMinKubernetes)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	resolver := kinds.Resolver{
		Project: &spec.Project{Module: "example.com/m"}, APIs: []*spec.Summary{api.Summary()},
		CRD: func(*spec.Summary) *apiextv1.CustomResourceDefinition { return crd },
	}
	resolve := func(r spec.Resource) kinds.Resource {
		resource, _ := resolver.Resolve(r)
		return resource
	}
	parent := resolve(spec.Resource{APIVersion: api.Group + "/" + api.Versions[0].Name, Kind: api.Names.Kind})
	var related []kinds.Related
	for _, r := range api.Operator.Related {
		related = append(related, kinds.Related{Resource: resolve(r.Resource), Spec: r})
	}
	found := append(opcheck.Related(api.Operator, []kinds.Resource{parent}, related, api.At), opcheck.Metrics(api.Operator, []kinds.Resource{parent}, api.At)...)
	for i, c := range api.Operator.Children {
		found = append(found, opcheck.HandOver(c, fmt.Sprintf("operator.children[%d].handOver", i), resolve(c.Resource), api.At)...)
		if c.ReadyWhen.Text != "" {
			found = append(found, opcheck.Rule(c.ReadyWhen, fmt.Sprintf("operator.children[%d].readyWhen", i), resolve(c.Resource).Schema)...)
		}
	}
	return found
}
