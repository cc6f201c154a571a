package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// startOfHistories are the author's files of a project: two groups, shared types, a kind that is a
// child of another, rules over children, a header, and a controller for a kind of the project.
var startOfHistories = map[string]string{
	"api/web.yaml": `apiVersion: opgen.dev/v1alpha1
kind: API
group: shop.example.com
names: {kind: Web}
versions:
- name: v1
  spec:
    properties:
      # How many there are.
      size: integer | default=1
      ports: "[]Port"
      ratio: number
      secret: string
  status:
    properties: {ready: integer}
operator:
  children:
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: parts.example.com/v1, kind: Part, readyWhen: self.status.done}
  related:
  - {apiVersion: v1, kind: Secret, nameFrom: .spec.secret}
`,
	"api/part.yaml": `apiVersion: opgen.dev/v1alpha1
kind: API
group: parts.example.com
names: {kind: Part}
versions:
- name: v1
  storage: true
  spec:
    properties:
      port: Port
  status:
    properties:
      done: boolean
`,
	"api/types.yaml": `apiVersion: opgen.dev/v1alpha1
kind: Types
types:
  Port:
    properties:
      # Where it listens.
      number: int32 | required
      name: string
`,
	"controllers/labeller.yaml": `apiVersion: opgen.dev/v1alpha1
kind: Controller
name: labeller
parents:
- {apiVersion: parts.example.com/v1, kind: Part}
operator:
  children:
  - {apiVersion: v1, kind: ConfigMap}
`,
	"header.txt": "// Copyright.\n",
	"house/docs/{{ .API.Kind | lower }}.md.tmpl": `# {{ .API.Kind }}
{{ range .API.StorageVersion.Fields }}
- {{ .Path }}: {{ .Description }}
{{ end }}
`,
	"house/OWNERS.tmpl": "{{/* opgen: once */}}\n{{ .Project.Name }}\n",
}

// goFirstOfHistories is a kind whose Go types are its author's.
const goFirstOfHistories = `apiVersion: opgen.dev/v1alpha1
kind: API
group: shop.example.com
names: {kind: Cache}
versions:
- name: v1
  storage: true
  goTypes: true
operator: {}
`

// changesOfHistories are what people, and their tools, do to a project.
var changesOfHistories = map[string]func(t *testing.T, h *history){
	"nothing":                        func(*testing.T, *history) {},
	"a field gets a comment":         replaceIn("api/web.yaml", "      size:", "      # More.\n      size:"),
	"a field is renamed":             replaceIn("api/web.yaml", "size", "amount"),
	"a field comes":                  replaceIn("api/part.yaml", "      port: Port\n", "      port: Port\n      more: string\n"),
	"a field goes":                   replaceIn("api/web.yaml", "      ratio: number\n", ""),
	"a child goes":                   replaceIn("api/web.yaml", "  - {apiVersion: apps/v1, kind: Deployment}\n", ""),
	"a child is pruned only":         replaceIn("api/web.yaml", "kind: Deployment}", "kind: Deployment, pruneOnly: true}"),
	"a related name is no field":     replaceIn("api/web.yaml", "      secret: string\n", ""),
	"a shared type changes":          replaceIn("api/types.yaml", "      name: string", "      name: string | maxLength=9"),
	"what a rule reads changes":      replaceIn("api/part.yaml", "done: boolean", "done: integer"),
	"what a rule reads goes":         replaceIn("api/part.yaml", "      done: boolean\n", "      over: boolean\n"),
	"a warning is accepted":          replaceIn("api/web.yaml", "kind: API\n", "kind: API\nacceptWarnings: [floats]\n"),
	"a kind is cluster-scoped":       replaceIn("api/part.yaml", "versions:", "scope: Cluster\nversions:"),
	"another version":                replaceIn("api/part.yaml", "  status:", "- name: v2\n  spec: {properties: {port: Port}}\n  status:"),
	"Kubernetes is another":          replaceIn("opgen.yaml", "watch:", "minKubernetes: \"1.30\"\nwatch:"),
	"typed clients":                  replaceIn("opgen.yaml", "watch:", "clients: true\nwatch:"),
	"descriptions are short":         replaceIn("opgen.yaml", "watch:", "maxDescLen: 5\nwatch:"),
	"a header":                       replaceIn("opgen.yaml", "watch:", "headerFile: header.txt\nwatch:"),
	"the header changes":             replaceIn("header.txt", "Copyright.", "Copyright of others."),
	"the module is another":          replaceIn("opgen.yaml", "example.com/op", "example.com/po"),
	"templates":                      replaceIn("opgen.yaml", "watch:", "templates: [house]\nwatch:"),
	"no templates":                   replaceIn("opgen.yaml", "templates: [house]\n", ""),
	"a template changes":             replaceIn("house/docs/{{ .API.Kind | lower }}.md.tmpl", "# ", "# The "),
	"a broken template":              replaceIn("house/OWNERS.tmpl", "}}", "}"),
	"a templated file is edited":     replaceIn("docs/web.md", "# ", "# My "),
	"a templated file is in its way": func(t *testing.T, h *history) { writeText(t, filepath.Join(h.project(), "docs/part.md"), "mine") },
	"another template": func(t *testing.T, h *history) {
		writeText(t, filepath.Join(h.project(), "house/more.txt.tmpl"), "{{ len .APIs }}")
	},
	"no controller":   removeFile("controllers/labeller.yaml"),
	"a marker":        replaceIn("internal/web/sync.go", "package web\n", "package web\n\n// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get\n"),
	"a broken marker": replaceIn("internal/web/sync.go", "package web\n", "package web\n\n// +kubebuilder:rbac:groups=batch\n"),
	"code":            replaceIn("internal/web/sync.go", "package web\n", "package web\n\nvar mine = 1\n"),
	"another file of code": func(t *testing.T, h *history) {
		writeText(t, filepath.Join(h.project(), "mine/mine.go"), "// +kubebuilder:rbac:urls=/x,verbs=get\npackage mine\n")
	},
	"no sync.go": removeFile("internal/web/sync.go"),
	"no sample":  removeFile("deploy/samples/shop_v1_web.yaml"),
	"sync.go is called otherwise": func(t *testing.T, h *history) {
		_ = os.Rename(filepath.Join(h.project(), "internal/web/sync.go"), filepath.Join(h.project(), "internal/web/work.go"))
	},
	"a line goes":                 dropLine,
	"a file is misnamed":          func(t *testing.T, h *history) { writeText(t, filepath.Join(h.project(), "api/more.yml"), "") },
	"no lock":                     removeFile("opgen.lock"),
	"a line of the lock goes":     func(t *testing.T, h *history) { dropLineOf(t, h, "opgen.lock") },
	"a newer lock":                replaceIn("opgen.lock", "opgen: devel", "opgen: v9.9.9"),
	"generated code is edited":    editGenerated(func(text string) string { return text + "// mine\n" }),
	"generated code goes":         editGenerated(func(string) string { return "" }),
	"line endings":                editGenerated(func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }),
	"an earlier tree":             restoreEarlier(func(string) bool { return true }),
	"earlier files of the author": restoreEarlier(func(name string) bool { return startOfHistories[name] != "" }),
	"a Go type changes":           replaceIn("api/shop/v1/cache_types.go", "type CacheSpec struct {\n", "type CacheSpec struct {\n\tMore *int32 `json:\"more,omitempty\"`\n"),
	"a Go comment":                replaceIn("api/shop/v1/cache_types.go", "type CacheSpec struct {\n", "type CacheSpec struct {\n\t// Said.\n"),
	"no record":                   editRecords(func([]byte) []byte { return nil }),
	"half a record":               editRecords(func(record []byte) []byte { return record[:len(record)/2] }),
	"a record of another opgen":   editRecords(func(record []byte) []byte { return bytes.Replace(record, []byte("opgen "), []byte("opgen x"), 1) }),
	"a damaged record":            editRecords(func(record []byte) []byte { return bytes.Replace(record, []byte("sha256:0"), []byte("sha256:1"), 1) }),
}

// touch gives a file a time that is not of now: source that changes while opgen reads it is another
// matter.
func touch(t *testing.T, file string) {
	t.Helper()
	before := time.Now().Add(-time.Minute)
	if err := os.Chtimes(file, before, before); err != nil {
		t.Fatal(err)
	}
}

// editFile edits a file of the project, if it is there.
func editFile(t *testing.T, h *history, name string, change func(string) string) {
	t.Helper()
	file := filepath.Join(h.project(), name)
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	writeText(t, file, change(string(text)))
	touch(t, file)
}

func replaceIn(name, from, to string) func(*testing.T, *history) {
	return func(t *testing.T, h *history) {
		editFile(t, h, name, func(text string) string { return strings.Replace(text, from, to, 1) })
	}
}

func removeFile(name string) func(*testing.T, *history) {
	return func(_ *testing.T, h *history) { _ = os.Remove(filepath.Join(h.project(), name)) }
}

// dropLine removes a line of an author's file.
func dropLine(t *testing.T, h *history) {
	names := slices.Sorted(maps.Keys(startOfHistories))
	dropLineOf(t, h, names[h.random.IntN(len(names))])
}

func dropLineOf(t *testing.T, h *history, name string) {
	editFile(t, h, name, func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		at := h.random.IntN(len(lines))
		return strings.Join(slices.Delete(lines, at, at+1), "")
	})
}

// editGenerated edits a generated file; one without a content goes.
func editGenerated(change func(string) string) func(*testing.T, *history) {
	return func(t *testing.T, h *history) {
		var generated []string
		for name := range relativeTo(h.project(), contents(t, h.project())) {
			if strings.HasPrefix(filepath.Base(name), "zz_generated.") {
				generated = append(generated, name)
			}
		}
		if len(generated) == 0 {
			return
		}
		slices.Sort(generated)
		name := generated[h.random.IntN(len(generated))]
		h.done = append(h.done, name)
		editFile(t, h, name, change)
		if info, err := os.Stat(filepath.Join(h.project(), name)); err == nil && info.Size() == 0 {
			removeFile(name)(t, h)
		}
	}
}

// restoreEarlier makes files what they were before an earlier step.
func restoreEarlier(chosen func(name string) bool) func(*testing.T, *history) {
	return func(t *testing.T, h *history) {
		earlier := h.earlier[h.random.IntN(len(h.earlier))]
		now := relativeTo(h.project(), contents(t, h.project()))
		for name := range now {
			if chosen(name) {
				removeFile(name)(t, h)
			}
		}
		for name, text := range relativeTo(h.project(), earlier) {
			if chosen(name) {
				writeText(t, filepath.Join(h.project(), name), text)
				touch(t, filepath.Join(h.project(), name))
			}
		}
	}
}

// editRecords edits what opgen remembers of projects; a record without a content goes.
func editRecords(change func([]byte) []byte) func(*testing.T, *history) {
	return func(t *testing.T, h *history) {
		_ = filepath.WalkDir(filepath.Join(h.root, "cache"), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			record, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if record = change(record); record == nil {
				return os.Remove(file)
			}
			return os.WriteFile(file, record, 0o644)
		})
	}
}
