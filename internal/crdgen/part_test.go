package crdgen_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Whatever is broken in a file, the rest of it can be looked at, and what the parser says stays.
func TestParseOfBrokenFilesKeepsWhatTheParserSays(t *testing.T) {
	paths, err := filepath.Glob("../spec/testdata/problems/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			_, parsed := spec.ParseAPI(file.Name, file.Data)
			api, all := crdgen.Parse(file.Name, file.Data, spec.DefaultMinKubernetes)
			if (api == nil) != (len(all) > 0) || len(all) < len(parsed) {
				t.Errorf("%s, %s: %d problems, the parser says %d", path, file.Name, len(all), len(parsed))
			}
		}
	}
}
