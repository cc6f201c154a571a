package crdgen_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the expected problems in testdata")

// TestProblems compares what the API server's validation says of each API, at the positions of the
// file, with the archive's last file. The Kubernetes version is that of the archive's kubernetes
// file, if there is one.
func TestProblems(t *testing.T) {
	paths, err := filepath.Glob("testdata/problems/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			version := spec.DefaultMinKubernetes
			var api *spec.API
			for _, f := range archive.Files[:len(archive.Files)-1] {
				if f.Name == "kubernetes" {
					version = strings.TrimSpace(string(f.Data))
					continue
				}
				var problems spec.Problems
				if api, problems = spec.ParseAPI(f.Name, f.Data); len(problems) > 0 {
					t.Fatal(problems)
				}
			}
			got := ""
			if _, problems := crdgen.CRD(api, version); len(problems) > 0 {
				got = problems.Err().Error() + "\n"
			}
			last := &archive.Files[len(archive.Files)-1]
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(last.Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, last.Data)
			}
		})
	}
}
