package importer

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// written are CRDs that package corpus has for its table, where it shows that they come back.
const written = "../../tools/corpus/testdata/crds"

// TestGoldenSpecs compares the spec files of CRDs with those in testdata, which have their names.
func TestGoldenSpecs(t *testing.T) {
	files, err := filepath.Glob(written + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs in %s: %v", written, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			got := importedFile(t, file)
			golden := filepath.Join("testdata", filepath.Base(file))
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want +got, -update rewrites it:\n%s", diff)
			}
			if again := importedFile(t, file); !bytes.Equal(got, again) {
				t.Error("importing it again gives another text")
			}
		})
	}
}

// importedFile returns the spec files of the CRDs in a file, as documents.
func importedFile(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	specs, problems := Import(filepath.Base(file), data)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var texts [][]byte
	for _, s := range specs {
		texts = append(texts, s.Text)
	}
	return bytes.Join(texts, []byte("---\n"))
}
