package spec

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected problems in testdata")

// TestProblems parses the files of each archive as one project, and compares what is reported with
// the archive's last file.
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
			last := len(archive.Files) - 1
			got := report(archive.Files[:last])
			if *update {
				archive.Files[last] = txtar.File{Name: "problems", Data: []byte(got)}
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

// report parses files as opgen does, and returns what it would print.
func report(files []txtar.File) string {
	var project *Project
	var apis []*Summary
	var controllers []*Controller
	var all Problems
	var shared []*NamedType
	for _, f := range files {
		if types, problems := ParseTypes(f.Name, f.Data); IsTypes(f.Data) {
			all = append(all, problems...)
			if types != nil {
				shared = append(shared, types.Types...)
			}
		}
	}
	for _, f := range files {
		if IsTypes(f.Data) {
			continue
		}
		if strings.HasSuffix(f.Name, "opgen.yaml") {
			p, problems := ParseProject(f.Name, f.Data)
			project, all = p, append(all, problems...)
			continue
		}
		if strings.HasPrefix(f.Name, "controllers/") {
			controller, problems := ParseController(f.Name, f.Data)
			all = append(all, problems...)
			if controller != nil {
				controllers = append(controllers, controller)
			}
			continue
		}
		api, problems := ParseAPI(f.Name, f.Data, shared...)
		all = append(all, problems...)
		if api != nil {
			apis = append(apis, api.Summary())
		}
	}
	if len(all) == 0 {
		all = Check(project, apis, controllers)
	}
	if len(all) == 0 {
		return ""
	}
	return all.Err().Error() + "\n"
}
