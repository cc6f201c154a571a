package warnings_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

var update = flag.Bool("update", false, "rewrite the expected warnings in testdata")

// TestGoldenWarnings compares what each archive's APIs are warned of with the archive's last file.
// None of them has a error.
func TestGoldenWarnings(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			got := ""
			if all := warningsOf(accepted(t, archive.Files[:last])); len(all) > 0 {
				got = all.Error() + "\n"
			}
			if *update {
				archive.Files[last] = txtar.File{Name: "warnings", Data: []byte(got)}
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

// warningsOf returns the warnings about the APIs of a project.
func warningsOf(apis []*spec.API) spec.Problems {
	var all []*spec.Summary
	for _, api := range apis {
		all = append(all, api.Summary())
	}
	return append(warnings.Of(apis, -1), warnings.OfReadiness(all, all, nil)...).Sorted()
}

func accepted(t *testing.T, files []txtar.File) []*spec.API {
	t.Helper()
	var apis []*spec.API
	for _, f := range files {
		api, problems := spec.ParseAPI(f.Name, f.Data)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if _, problems := crdgen.CRD(api, spec.DefaultMinKubernetes); len(problems) > 0 {
			t.Fatal(problems)
		}
		apis = append(apis, api)
	}
	return apis
}

// TestSize has CRDs of sizes that no archive should have.
func TestSize(t *testing.T) {
	for _, tc := range []struct {
		given       string
		description int
		maxDescLen  int64
		want        string
	}{
		{"small", 200 << 10, -1, ""},
		{"large, without its descriptions", 300 << 10, 0, ""},
		{"too large for kubectl apply", 300 << 10, -1, "a.yaml:4:15: names.kind: the CRD has 301 KiB, and kubectl apply works up to 256 KiB only\n" +
			"    apply it with --server-side, as make install does, or shorten descriptions, as maxDescLen in opgen.yaml does, or leave versions out"},
		{"too large for etcd", 1600 << 10, -1, "a.yaml:4:15: names.kind: the CRD has 1601 KiB, and etcd stores at most 1536 KiB by default\n" +
			"    shorten descriptions, as maxDescLen in opgen.yaml does, or leave versions out"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			file := "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: EchoServer}\nversions:\n" +
				"- name: v1\n  description: " + strings.Repeat("a", tc.description) + "\n"
			api, problems := spec.ParseAPI("a.yaml", []byte(file))
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			if got := warnings.Of([]*spec.API{api}, tc.maxDescLen).Error(); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// TestEveryWarningIsShown sees to it that each warning is in an archive, but for the size, and that
// none is made up.
func TestEveryWarningIsShown(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[spec.Warning]bool{
		spec.WarnSize: true, // TestSize
		// Errors, which crdgen and scaffold report, and what gotypes reads in Go source.
		spec.WarnUnsatisfiable: true, spec.WarnNamespaces: true, spec.WarnMarkers: true,
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range warningsOf(accepted(t, archive.Files[:len(archive.Files)-1])) {
			shown[p.Warning] = true
			if p.Severity() != "warning" || p.Pos.Line == 0 || p.Path == "" || p.Hint == "" {
				t.Errorf("%s: lacks something: %#v", path, p)
			}
		}
	}
	for _, w := range spec.Warnings() {
		if !shown[w] {
			t.Errorf("no archive shows %s", w)
		}
		delete(shown, w)
	}
	if len(shown) > 0 {
		t.Errorf("spec.Warnings lacks %v", shown)
	}
}
