package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// holdsTogether checks the Go packages of an API: they parse, gofmt leaves them alone, they
// type-check against the real Kubernetes types, and descriptions are nothing in them but comments
// that no tool acts on.
func holdsTogether(t *testing.T, api *spec.API) {
	t.Helper()
	sources := goSources(t, api)
	for dir, files := range sources {
		set := token.NewFileSet()
		var parsed []*ast.File
		for name, source := range files {
			file, err := parser.ParseFile(set, dir+"/"+name, source, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			parsed = append(parsed, file)
			if formatted, err := format.Source(source); err != nil || !bytes.Equal(formatted, source) {
				t.Errorf("%s/%s is not as gofmt has it: %v", dir, name, err)
			}
		}
		if _, err := (&types.Config{Importer: exported()}).Check(dir, set, parsed, nil); err != nil {
			t.Errorf("%v\n%s", err, files["zz_generated.types.go"])
		}
	}
	plain := goSources(t, undescribed(api))
	for dir, files := range sources {
		for name, source := range files {
			if with, without := acting(source), acting(plain[dir][name]); !slices.Equal(with, without) {
				t.Errorf("%s/%s: descriptions change more than comments\n%s", dir, name, source)
			}
		}
	}
}

// goSources renders the Go packages of an API by folder and file name.
func goSources(t *testing.T, api *spec.API) map[string]map[string][]byte {
	t.Helper()
	packages, problems := gomodel.Packages(&spec.Project{Module: modulePath}, []*spec.API{api})
	if len(problems) > 0 {
		t.Fatalf("no Go types: %v", problems)
	}
	sources := map[string]map[string][]byte{}
	for _, pkg := range packages {
		files := map[string][]byte{}
		for name, render := range renderers {
			source, err := render(pkg)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			files[name] = source
		}
		sources[pkg.Dir] = files
	}
	return sources
}

// acting are the tokens of a source and the comments that a tool acts on: markers and directives.
func acting(source []byte) []string {
	var (
		s   scanner.Scanner
		all []string
	)
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, len(source)), source, nil, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.COMMENT:
			words := strings.TrimPrefix(text, "//")
			if strings.HasPrefix(text, "/*") || strings.HasPrefix(strings.TrimSpace(words), "+") || words != "" && words[0] != ' ' && words[0] != '\t' {
				all = append(all, text)
			}
		default:
			all = append(all, tok.String()+" "+text)
		}
	}
}

// undescribed returns an API whose descriptions say as little as possible.
func undescribed(api *spec.API) *spec.API {
	copied, u := *api, undescriber{}
	copied.Types = slices.Clone(api.Types)
	for i, t := range copied.Types {
		copied.Types[i] = u.withoutDescription(t)
	}
	copied.Versions = slices.Clone(api.Versions)
	for i := range copied.Versions {
		v := &copied.Versions[i]
		v.Description = little(v.Description)
		v.Root, v.Spec, v.Status = u.schemaWithoutDescriptions(v.Root), u.schemaWithoutDescriptions(v.Spec), u.schemaWithoutDescriptions(v.Status)
	}
	return &copied
}

// undescriber makes one copy of each named type.
type undescriber map[*spec.NamedType]*spec.NamedType

func (u undescriber) withoutDescription(t *spec.NamedType) *spec.NamedType {
	if t == nil {
		return nil
	}
	if known, found := u[t]; found {
		return known
	}
	copied := *t
	u[t] = &copied
	copied.Schema = u.schemaWithoutDescriptions(t.Schema)
	return &copied
}

func (u undescriber) schemaWithoutDescriptions(s *spec.Schema) *spec.Schema {
	if s == nil {
		return nil
	}
	copied := *s
	copied.Keywords.Description = little(s.Keywords.Description)
	copied.Properties = slices.Clone(s.Properties)
	for i, p := range copied.Properties {
		copied.Properties[i].Schema = u.schemaWithoutDescriptions(p.Schema)
	}
	copied.Use = u.withoutDescription(s.Use)
	copied.Items, copied.AdditionalProperties = u.schemaWithoutDescriptions(s.Items), u.schemaWithoutDescriptions(s.AdditionalProperties)
	return &copied
}

func little(description string) string {
	if description == "" {
		return ""
	}
	return "x"
}

// exported returns the compiled packages that generated types import.
var exported = sync.OnceValue(func() types.Importer {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}",
		"k8s.io/api/...", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if err != nil {
			return nil, err
		}
		return os.Open(files[path])
	})
})
