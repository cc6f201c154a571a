package scaffold

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
)

// everyValue is a template that shows nearly every value.
const everyValue = `{{ define "kind" }}{{ .Kind }} {{ .Group }} {{ .Version }} {{ .APIVersion }} {{ .Plural }} {{ .Scope }}{{ end -}}
{{ with .Project }}{{ .Name }} {{ .Module }} {{ .Domain }} {{ .Watch }} {{ .Image }} {{ .Namespace }} {{ .Manager }}
{{ range .Roles }}{{ .Kind }} {{ .Namespace }} {{ .Name }}: {{ with first .Rules }}{{ .APIGroups }} {{ .Resources }} {{ .Verbs }}{{ end }}
{{ end }}{{ end }}
{{ range .Controllers }}{{ .Name }} {{ .ControllerName }} {{ .SpecFile }} {{ .Folder }} {{ .Finalize }}
{{ range .Parents }}  parent {{ template "kind" . }}
{{ end }}{{ range .Children }}  child {{ template "kind" . }} {{ .Update }} {{ .WhenDropped }} {{ .WhenDeleted }} {{ .PruneOnly }}
{{ end }}{{ range .Related }}  related {{ template "kind" . }}
{{ end }}{{ end }}
{{ range .APIs }}{{ template "kind" dict "Kind" .Kind "Group" .Group "Version" .StorageVersion.Name "APIVersion" .StorageVersion.APIVersion "Plural" .Plural "Scope" .Scope }}
  {{ .ListKind }} {{ .Singular }} {{ .ShortNames }} {{ .Categories }} {{ .CRDName }} {{ .SpecFile }} {{ .SampleFile }}
{{ range .Versions }}  {{ .Name }} {{ .Folder }} {{ .ImportPath }} {{ .GoType }} {{ .Served }} {{ .Storage }} {{ .Deprecated }} {{ .HasStatus }} {{ .HasScale }} {{ len .Fields }}
{{ range .Columns }}  column {{ .Name }} {{ .Type }} {{ .Path }} {{ .Priority }}
{{ end }}{{ end }}{{ with .Operator }}  {{ .ControllerName }} {{ .Folder }} {{ .Finalize }}
{{ range .Children }}  child {{ template "kind" . }} {{ .Update }} {{ .WhenDropped }} {{ .WhenDeleted }} {{ .PruneOnly }}
{{ end }}{{ range .Related }}  related {{ template "kind" . }}
{{ end }}{{ end }}{{ end -}}
`

// operators is a template that shows the folder and the name of each controller.
const operators = `{{ range .APIs }}{{ with .Operator }}{{ .Folder }} {{ .ControllerName }}
{{ end }}{{ end }}{{ range .Controllers }}{{ .Folder }} {{ .ControllerName }}
{{ end }}`

// What a template is rendered over is what the project's own files say.
func TestGoldenTemplateValues(t *testing.T) {
	for _, archive := range []string{"controllers", "whole-operator"} {
		t.Run(archive, func(t *testing.T) {
			parsed, err := txtar.ParseFile("../../testdata/golden/" + archive + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			in := inputOf(t, parsed)
			in.Project.Templates = []string{"templates"}
			set, err := Plan(Source{Input: in, templates: []usertemplates.Folder{
				{Name: "templates", Files: map[string][]byte{"values.txt.tmpl": []byte(everyValue), "operators.txt.tmpl": []byte(operators)}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range set.Files() {
				files[f.Path] = string(f.Content)
			}
			golden := filepath.Join("testdata", "template_values", archive+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(files["values.txt"]), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), files["values.txt"]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for line := range strings.Lines(files["operators.txt"]) {
				folder, name, _ := strings.Cut(strings.TrimSpace(line), " ")
				if !regexp.MustCompile(`(?m)^\t\tName: +` + strconv.Quote(name) + `,$`).MatchString(files[folder+"/"+operatorFile]) {
					t.Errorf("the controller in %s is not called %s", folder, name)
				}
			}
		})
	}
}
