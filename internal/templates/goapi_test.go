package templates

import (
	"flag"
	"os"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoAPI compares the Go code of each API with the files of its case; that it makes the API's
// CRD is TestControllerGenAgrees'.
func TestGoAPI(t *testing.T) {
	for _, c := range apiCases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := &txtar.Archive{Comment: c.archive.Comment}
			for _, name := range []string{"not-expressible", "api.yaml"} { // the inputs
				if text := c.file(t, name); text != nil {
					got.Files = append(got.Files, txtar.File{Name: name, Data: text})
				}
			}
			for _, pkg := range c.packages {
				files := rendered(t, pkg)
				for _, name := range []string{"zz_generated.types.go", "zz_generated.deepcopy.go", "zz_generated.register.go"} {
					got.Files = append(got.Files, txtar.File{Name: path.Join(pkg.Dir, name), Data: files[name]})
				}
			}
			if *update {
				if err := os.WriteFile(c.path, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(c.archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("-want +got, -update rewrites it:\n%s", diff)
			}
		})
	}
}

func BenchmarkGoAPI(b *testing.B) {
	c := apiCases(b)[0]
	for b.Loop() {
		for _, pkg := range c.packages {
			rendered(b, pkg)
		}
	}
}
