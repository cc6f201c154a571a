package reference

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/longtest"
)

// TestImportedSpecsValidate holds the spec of every imported CRD against both schemas: of the CRDs
// that come with the repository, and of those of other projects that may lie beside it.
func TestImportedSpecsValidate(t *testing.T) {
	all, ofKind := compile(t, must(JSONSchema())), kindSchemas(t)["API"]
	for dir, least := range map[string]int{repository + "/tools/corpus/testdata/crds": 12, repository + "/../shared/crds": 300} {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("no CRDs of other projects: %v", err)
			}
			if least > 100 {
				longtest.Skip(t, "there are hundreds of CRDs")
			}
			validated := 0
			for _, file := range yamlFiles(t, dir) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				specs, problems := importer.Import(file, data)
				if err := problems.Err(); err != nil {
					t.Error(err)
				}
				for _, s := range specs {
					validated++
					value := valueOf(s.Text)
					if err := all.Validate(value); err != nil {
						t.Errorf("%s: %v", s.Name, err)
					}
					if least > 100 {
						continue // the schema of all spec files has that of APIs in it
					}
					if err := ofKind.Validate(value); err != nil {
						t.Errorf("%s as API: %v", s.Name, err)
					}
				}
			}
			if validated < least {
				t.Errorf("found only %d", validated)
			}
		})
	}
}

func yamlFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
