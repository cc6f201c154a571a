package crddiff_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/longtest"
)

// TestImportedCRDsAreEqual compares CRDs that people run with those that opgen makes from their
// spec files: they mean the same.
func TestImportedCRDsAreEqual(t *testing.T) {
	for dir, least := range map[string]int{"../../tools/corpus/testdata/crds": 12, "../../../shared/crds": 300} {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("no CRDs of other projects: %v", err)
			}
			if least > 100 {
				longtest.Skip(t, "there are hundreds of CRDs")
			}
			compared := 0
			err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && filepath.Ext(path) == ".yaml" {
					compared += compareImported(t, path)
				}
				return err
			})
			if err != nil || compared < least {
				t.Errorf("%d CRDs were compared, expected %d: %v", compared, least, err)
			}
		})
	}
}

// compareImported compares the CRDs of a file with those that come back from importing it. It
// returns their number.
func compareImported(t *testing.T, path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	crds, problems := importer.CRDs(path, data)
	imported, more := importer.Import(path, data)
	if len(problems) > 0 || len(crds) != len(imported) {
		if len(more) == 0 {
			t.Errorf("%s: %d CRDs, and import has %d: %v", path, len(crds), len(imported), problems)
		}
		return 0
	}
	for i, s := range imported {
		r := crddiff.Compare([]crddiff.Made{{CRD: crdgen.Unchecked(s.API), API: s.API}}, []crddiff.Other{{CRD: crds[i].Object}})
		if !r.Equal() {
			t.Errorf("%s: %s\n%s", path, s.Name, lines(r))
		}
	}
	return len(imported)
}
