package usertemplates

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

// render renders templates that have no error, and returns the files by their paths.
func render(t *testing.T, templates map[string]string) map[string]string {
	t.Helper()
	source := Folder{Name: "templates", Files: map[string][]byte{}}
	for name, text := range templates {
		source.Files[name] = []byte(text)
	}
	files, problems := renderSource(source)
	if problems != "" {
		t.Fatal(problems)
	}
	made := map[string]string{}
	for _, f := range files {
		made[f.Path] = string(f.Content)
		if f.Once {
			made[f.Path] += "(once)"
		}
	}
	return made
}

func TestRender(t *testing.T) {
	for given, tc := range map[string]struct{ templates, want map[string]string }{
		"one file for the project": {
			map[string]string{"a.md.tmpl": "{{ .Project.Name }}"}, map[string]string{"a.md": "echo-operator"},
		},
		"one for each API": {
			map[string]string{"docs/{{ .API.Kind | lower }}.tmpl": "{{ .API.Scope }} of {{ len .APIs }}"},
			map[string]string{"docs/cache": "Cluster of 2", "docs/echoserver": "Namespaced of 2"},
		},
		"one for each version of each API": {
			map[string]string{"{{ .API.Kind }}/{{ .Version.Name }}.tmpl": "{{ .Version.Storage }}"},
			map[string]string{"Cache/v1": "true", "EchoServer/v1alpha1": "false", "EchoServer/v1": "true"},
		},
		"the version alone says so, and $ is no other value": {
			map[string]string{"{{ $.API.Kind }}-{{ with $.Version }}{{ .Name }}{{ end }}.tmpl": "x"},
			map[string]string{"Cache-v1": "x", "EchoServer-v1alpha1": "x", "EchoServer-v1": "x"},
		},
		"nothing but white space makes no file": {
			map[string]string{"{{ .API.Kind }}.tmpl": "\n {{ if .API.Operator }}x{{ end }}\t\n"},
			map[string]string{"EchoServer": "\n x\t\n"},
		},
		"the bytes are the template's": {
			map[string]string{"a.tmpl": "a\r\nb {{- /* */ -}} c", "b.tmpl": "\ufeffä\n\n\n"}, map[string]string{"a": "a\r\nbc", "b": "\ufeffä\n\n\n"},
		},
		"the first line makes it the author's, and leaves nothing behind": {
			map[string]string{"a.tmpl": "{{/* opgen: once */}}\n\n x", "b.tmpl": "{{/* opgen: once */}}\r\ny", "c.tmpl": "\n{{/* opgen: once */}}z"},
			map[string]string{"a": "\n x(once)", "b": "y(once)", "c": "\nz"},
		},
		"shared parts": {
			map[string]string{
				"_a.tmpl": `{{ define "a" }}{{ .Project.Name }}{{ end }}`, "deep/_b.tmpl": `{{ define "b" }}<{{ template "a" . }}>{{ end }}`,
				"x.tmpl": `{{ template "b" . }} {{ include "b" . | upper | indent 2 }}{{ block "c" . }}c{{ end }}`,
			},
			map[string]string{"x": "<echo-operator>   <ECHO-OPERATOR>c"},
		},
		"expressions of another language": {
			map[string]string{".github/workflows/ci.yaml.tmpl": `ref: {{ "${{ github.ref }}" }}`},
			map[string]string{".github/workflows/ci.yaml": "ref: ${{ github.ref }}"},
		},
		"functions of Go and of sprig": {
			map[string]string{"a.tmpl": `{{ printf "%03d" 7 }}{{ and true "x" }}{{ list 1 2 | join "," }}{{ eq 1 1 }}{{ println "x" }}{{ range $i := until 3 }}{{ if eq $i 1 }}{{ continue }}{{ end }}{{ $i }}{{ end }}`},
			map[string]string{"a": "007x1,2truex\n02"},
		},
	} {
		t.Run(given, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, render(t, tc.templates)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTemplatesDoNotSeeWhatOthersChange(t *testing.T) {
	got := render(t, map[string]string{
		"a/{{ .API.Kind }}.tmpl": `x{{ $_ := set .API.Labels "team" "red" }}{{ range .APIs }}{{ $_ := set .Labels "team" "red" }}{{ end }}`,
		"b/{{ .API.Kind }}.tmpl": `{{ get .API.Labels "team" }}.{{ range .APIs }}{{ get .Labels "team" }}.{{ end }}`,
	})
	if got["b/Cache"] != "..blue." || got["b/EchoServer"] != "blue..blue." {
		t.Errorf("got %q", got)
	}
}

func TestRead(t *testing.T) {
	large := &fstest.MapFile{Data: make([]byte, maxTemplate+1)}
	source, problems, err := Read("house", fstest.MapFS{
		"a.md.tmpl": {Data: []byte("a")}, ".github/b.tmpl": {Data: []byte("b")}, "README.md": {}, ".git/c.tmpl": {}, "d.tmpl": large,
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]byte{"a.md.tmpl": []byte("a"), ".github/b.tmpl": []byte("b")}, source.Files); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := problems.Error(); got != "house/d.tmpl: is too large: the limit is 1 MiB\n    split it into several templates" {
		t.Errorf("got %s", got)
	}
	many := fstest.MapFS{}
	for i := range maxTemplates + 1 {
		many[fmt.Sprintf("%d.tmpl", i)] = &fstest.MapFile{}
	}
	if _, _, err := Read("house", many); err == nil {
		t.Error("no limit of templates")
	}
}

func TestNotUTF8(t *testing.T) {
	_, problems := renderSource(Folder{Name: "t", Files: map[string][]byte{"a.tmpl": []byte("one\nä\xff")}})
	if problems != "t/a.tmpl:2:2: is not UTF-8\n    save the file as UTF-8\n" {
		t.Errorf("got %s", problems)
	}
}

func TestFieldsOf(t *testing.T) {
	api, problems := spec.ParseAPI("api/a.yaml", []byte(`apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Shop}
types:
  # What to listen on.
  Port:
    properties: {number: int32 | required minimum=1 maximum=65535}
    x-kubernetes-validations: [{rule: "self.number != 22", message: not ssh}]
versions:
- name: v1
  spec:
    properties:
      ports: "[]Port | minItems=1"
      named: map[string]Port
      # Another one.
      admin: Port | required
      when: time | nullable
      any: any
      template: core/v1.PodTemplateSpec
      words: string | enum=[a, "<"] default=a pattern="^[<>a]$" format=byte
      big: int64 | default=9007199254740993
`))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range FieldsOf(&api.Versions[0]) {
		if !strings.HasPrefix(f.Path, "status") {
			got = append(got, fmt.Sprintf("%d %s %s %v,%v %v %v %v %s %s", f.Depth, f.Path, f.Type, f.Required, f.Nullable, f.Limits, f.Enum, f.Rules, f.Default, f.Format))
		}
	}
	want := []string{
		"0 spec object true,false [] [] []  ",
		"1 spec.ports []object false,false [{minItems 1}] [] []  ",
		"1 spec.ports[] object false,false [] [] [{self.number != 22 not ssh}]  ",
		"2 spec.ports[].number int32 true,false [{minimum 1} {maximum 65535}] [] []  ",
		"1 spec.named map[string]object false,false [] [] []  ",
		"1 spec.named{} object false,false [] [] [{self.number != 22 not ssh}]  ",
		"2 spec.named{}.number int32 true,false [{minimum 1} {maximum 65535}] [] []  ",
		"1 spec.admin object true,false [] [] [{self.number != 22 not ssh}]  ",
		"2 spec.admin.number int32 true,false [{minimum 1} {maximum 65535}] [] []  ",
		"1 spec.when time false,true [] [] []  date-time",
		"1 spec.any any false,false [] [] []  ",
		"1 spec.template core/v1.PodTemplateSpec false,false [] [] []  ",
		`1 spec.words string false,false [{pattern ^[<>a]$}] ["a" "<"] [] "a" byte`,
		"1 spec.big int64 false,false [] [] [] 9007199254740993 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzTemplates renders what nobody would write: whatever it is, it ends soon, and all errors have
// their places.
func FuzzTemplates(f *testing.F) {
	for path, text := range map[string]string{
		"a.md": "{{ .Project.Name }}", "{{ .API.Kind }}": "{{ range .APIs }}{{ .Kind }}{{ end }}", "{{ .Version.Name }}": "{{/* opgen: once */}}\nx",
		"../x": `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" }}`, "{{": "{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}",
		".git/x": `{{ $x := list 1 2 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}`, "": "{{ fail }}", "a\nb": "\xff", "a:1:2": "{{ index 1 2 }}",
		"x{{ include `x` . }}": `{{ repeat 99999999 "x" }}{{ indent 9999999999 "x" }}{{ .API.Operator.Folder }}{{ .API.Labels.x }}`,
	} {
		f.Add(path, text)
	}
	for text := range maps.Values(attacks) {
		f.Add("a", text)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		begin := time.Now()
		files, problems := renderSource(Folder{Name: "templates", Files: map[string][]byte{path + extension: []byte(text)}})
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("took %s", took)
		}
		for _, file := range files {
			if pathProblem(file.Path) != "" {
				t.Errorf("made %q", file.Path)
			}
		}
		if found := goWords.FindString(problems); found != "" && !strings.Contains(path+text, found) && !strings.Contains(text, "typeOf") {
			t.Errorf("%q in %s", found, problems)
		}
	})
}
