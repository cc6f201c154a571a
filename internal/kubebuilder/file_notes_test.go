package kubebuilder

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestFileNotes(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("x")}
	tree := fstest.MapFS{
		"config/crd/bases/a.yaml": file, "config/prometheus/monitor.yaml": file, "config/rbac/tree_editor_role.yaml": file, ".golangci.yml": file,
		"Makefile": {Data: []byte("all: build\n\nmanifests: controller-gen ## Make manifests.\n\tx\n\ngenerate:\n\techo\n")},
	}
	want := []FileNote{
		{"config/crd/bases", "deploy/zz_generated.crd.yaml has the CRDs; test suites with envtest still read the folder"},
		{"config/prometheus", "deploy/components/service-monitor has the ServiceMonitor, once deploy/kustomization.yaml lists it"},
		{"config/rbac/*_{admin,editor,viewer}_role.yaml", "deploy/components/api-roles has them under the same names, once deploy/kustomization.yaml lists it"},
		{"cmd/main.go", "main.go, which calls setup in setup.go"},
		{"Makefile:3", "make opgen-generate; no more controller-gen"},
	}
	if diff := cmp.Diff(want, Superfluous(tree, "cmd/main.go")); diff != "" {
		t.Errorf("superfluous (-want +got):\n%s", diff)
	}
	want = []FileNote{{".golangci.yml", "settings of golangci-lint"}}
	if diff := cmp.Diff(want, Unmade(tree)); diff != "" {
		t.Errorf("not made (-want +got):\n%s", diff)
	}
}

func TestMainLines(t *testing.T) {
	tree := fstest.MapFS{
		"Makefile":   {Data: []byte("# go build cmd/main.go\nbuild:\n\tgo build -o bin/manager cmd/main.go\nrun:\n\tgo run ./cmd/main.go -v\nother:\n\tgo build ./cmd/tool\n")},
		"Dockerfile": {Data: []byte("COPY cmd/main.go cmd/main.go\nCOPY api/ api/\nRUN CGO_ENABLED=0 go build -a -o manager ./cmd\n")},
	}
	want := []LineChange{
		{"Makefile", 3, "go build -o bin/manager cmd/main.go", "go build -o bin/manager ."},
		{"Makefile", 5, "go run ./cmd/main.go -v", "go run . -v"},
		{"Dockerfile", 1, "COPY cmd/main.go cmd/main.go", "COPY *.go ./"},
		{"Dockerfile", 3, "RUN CGO_ENABLED=0 go build -a -o manager ./cmd", "RUN CGO_ENABLED=0 go build -a -o manager ."},
	}
	if diff := cmp.Diff(want, MainLines(tree, "cmd/main.go")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := MainLines(tree, ""); got != nil {
		t.Errorf("without a main: %v", got)
	}
}

func TestFilesInTheRoot(t *testing.T) {
	tree := fstest.MapFS{
		"main.go":                     {Data: []byte("package main\n")},
		"doc.go":                      {Data: []byte("// Package orchard is a library.\npackage orchard\n")},
		"tools.go":                    {Data: []byte("//go:build tools\n\npackage tools\n")},
		"setup.go":                    {Data: []byte("package main\n\nimport \"github.com/opgen-dev/opgen/runtime/operator\"\n")},
		"zz_generated.controllers.go": {Data: []byte("package main\n")},
		"some_test.go":                {Data: []byte("package orchard\n")},
		"Makefile":                    {Data: []byte("run:\n\tgo run ./main.go\nbuild:\n\tgo build main.go\n")},
		"Dockerfile":                  {Data: []byte("COPY main.go main.go\n")},
	}
	var got []string
	for _, p := range CheckRoot(tree) {
		got = append(got, p.String())
	}
	want := []string{
		"doc.go: is in the folder in which opgen puts its own main\n    move the package to a folder below",
		"main.go: is in the folder in which opgen puts its own main\n    git mv main.go cmd/main.go, and write cmd/main.go in Makefile:2, Makefile:4, Dockerfile:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
