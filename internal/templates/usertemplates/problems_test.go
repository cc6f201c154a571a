package usertemplates

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files again")

// exampleValues are of a project with two kinds, of which one has an operator.
func exampleValues() Values {
	echo := API{
		Group: "demo.example.com", Kind: "EchoServer", Plural: "echoservers", Scope: "Namespaced", SpecFile: "api/echoserver.yaml",
		Labels:   map[string]any{"team": "blue"},
		Versions: []Version{{Name: "v1alpha1", Fields: []Field{{Path: "spec", Name: "spec", Type: "object"}}}, {Name: "v1", Storage: true}},
		Operator: &Operator{ControllerName: "echoserver", Folder: "internal/echoserver"},
	}
	cache := API{Group: "demo.example.com", Kind: "Cache", Plural: "caches", Scope: "Cluster", Versions: []Version{{Name: "v1", Storage: true}}}
	return Values{Project: Project{Name: "echo-operator", KubernetesVersions: []string{"1.33", "1.34"}}, APIs: []API{cache, echo}}
}

// sourceOf returns the templates of an archive.
func sourceOf(files []txtar.File) Folder {
	source := Folder{Name: "templates", Files: map[string][]byte{}}
	for _, f := range files {
		source.Files[f.Name] = f.Data
	}
	return source
}

// renderSource parses and renders templates.
func renderSource(source Folder) ([]File, string) {
	set, problems := Parse(source)
	files, more := set.Render(exampleValues())
	if problems = append(problems, more...); len(problems) > 0 {
		return files, problems.Err().Error() + "\n"
	}
	return files, ""
}

// goWords are what messages of Go have and users do not know.
var goWords = regexp.MustCompile(`usertemplates|interface \{|map\[|executing "|template: |opgen_|runtime error`)

// TestProblems compares the errors of templates with those at the end of each archive: all of them,
// each with its place and what to do.
func TestProblems(t *testing.T) {
	archives, err := filepath.Glob("testdata/problems/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			if archive.Files[last].Name != "problems" {
				t.Fatal("the last file is not problems")
			}
			_, got := renderSource(sourceOf(archive.Files[:last]))
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(archive.Files[last].Data), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, line := range regexp.MustCompile(`(?m)^\S.*$`).FindAllString(got, -1) {
				if !regexp.MustCompile(`^templates/.+\.tmpl:\d+:\d+: `).MatchString(line) {
					t.Errorf("no place: %s", line)
				}
				if found := goWords.FindString(line); found != "" {
					t.Errorf("%q in: %s", found, line)
				}
			}
		})
	}
}
