package project

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

const version = "v0.1.0"

// generated is the result of one run with a record.
type generated struct {
	project *Project
	changes *tree.Changes
	files   []tree.File
	isRead  []bool // by API: whether its schemas were needed
}

// generateWith generates a project as opgen generate does.
func generateWith(t *testing.T, r *Record) generated {
	t.Helper()
	p, err := r.Load(version)
	if err != nil {
		t.Fatal(err)
	}
	read := make([]bool, len(p.APIs))
	for i, api := range p.APIs {
		p.APIs[i].Read = func() *spec.API { read[i] = true; return api.Read() }
	}
	source, err := ReadGo(p.Dir, p.Tree, p.Input())
	if err != nil {
		t.Fatal(err)
	}
	set, err := scaffold.Plan(source)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := set.Diff(p.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := changes.Apply(p.Dir); err != nil {
		t.Fatal(err)
	}
	r.Save(p, set.Learned, changes, p.Warnings())
	return generated{p, changes, set.Files(), read}
}

// newShop makes the shop with two more kinds, one of which is a child of the other, and generates
// it until nothing changes.
func newShop(t *testing.T) (dir string) {
	t.Helper()
	t.Setenv("OPGEN_CACHE", t.TempDir())
	p, err := loadShop(t, `
-- api/refund.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: money.example.com
names: {kind: Refund}
versions:
- name: v1
  spec: {properties: {share: number}}
  status: {properties: {paid: boolean}}
-- api/payment.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: pay.example.com
names: {kind: Payment}
versions:
- name: v1
  spec: {properties: {total: Money}}
operator:
  children:
  - {apiVersion: money.example.com/v1, kind: Refund, readyWhen: self.status.paid}
`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		generateWith(t, OpenRecord(p.Dir))
	}
	return p.Dir
}

// rendered returns the packages of API types and operators of which files are rendered.
func (g generated) rendered() []string {
	folders := map[string]bool{}
	for _, f := range g.files {
		inPackage := strings.HasPrefix(f.Path, "api/") || strings.HasPrefix(f.Path, "internal/")
		if f.Owner == tree.Generated && inPackage && f.Content != nil {
			folders[filepath.Dir(f.Path)] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// read returns the kinds whose schemas were needed.
func (g generated) read() []string {
	var kinds []string
	for i, api := range g.project.APIs {
		if g.isRead[i] {
			kinds = append(kinds, api.Names.Kind)
		}
	}
	return kinds
}

func replace(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %s", file, from)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyWhatChangedIsMade(t *testing.T) {
	const labeller = "internal/labeller" // its controller is always made
	for name, c := range map[string]struct {
		change         func(t *testing.T, dir string)
		read, rendered []string
	}{
		"nothing": {func(*testing.T, string) {}, nil, []string{labeller}},
		"a kind": {
			func(t *testing.T, dir string) { replace(t, dir+"/api/order.yaml", "total", "sum") },
			[]string{"Order"}, []string{"api/shop/v1", labeller, "internal/order"},
		},
		"a kind that is a child of another": {
			func(t *testing.T, dir string) { replace(t, dir+"/api/refund.yaml", "share", "part") },
			[]string{"Payment", "Refund"}, []string{"api/money/v1", "api/pay/v1", labeller, "internal/payment"},
		},
		"shared types": {
			func(t *testing.T, dir string) { replace(t, dir+"/api/types.yaml", "int32", "int64") },
			[]string{"Order", "Payment", "Refund"},
			[]string{"api/money/v1", "api/pay/v1", "api/shop/v1", labeller, "internal/order", "internal/payment"},
		},
		"opgen.yaml": {
			func(t *testing.T, dir string) { replace(t, dir+"/opgen.yaml", "name: shop", "name: store") },
			[]string{"Order", "Payment", "Refund"}, []string{"api/money/v1", "api/pay/v1", "api/shop/v1", labeller, "internal/order", "internal/payment"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newShop(t)
			c.change(t, dir)
			run := generateWith(t, OpenRecord(dir))
			if read := run.read(); !slices.Equal(read, c.read) {
				t.Errorf("%q were read, want %q", read, c.read)
			}
			if rendered := run.rendered(); !slices.Equal(rendered, c.rendered) {
				t.Errorf("%q were rendered, want %q", rendered, c.rendered)
			}
		})
	}
}

// A run that had nothing to change is current until something that it read is another.
func TestIsCurrent(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"a spec file": func(dir string) error { return os.Remove(dir + "/api/refund.yaml") },
		"a new spec file": func(dir string) error {
			return os.WriteFile(dir+"/api/more.yaml", []byte(strings.Replace(orderOf, "%GROUP", "more.example.com", 1)), 0o644)
		},
		"a generated file": func(dir string) error { return os.Remove(dir + "/api/shop/v1/zz_generated.types.go") },
		"the lock":         func(dir string) error { return os.WriteFile(dir+"/opgen.lock", nil, 0o644) },
		"a file of the author's that is gone": func(dir string) error {
			return os.Remove(dir + "/internal/order/sync.go")
		},
		"a marker": func(dir string) error {
			return os.WriteFile(dir+"/more.go", []byte("package main\n\n// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get\n"), 0o644)
		},
		"the settings of Go": func(string) error { t.Setenv("GOFLAGS", "-mod=mod"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := newShop(t)
			warned, current := OpenRecord(dir).IsCurrent(version)
			if !current || len(warned) != 1 || warned[0].Warning != spec.WarnFloats {
				t.Fatalf("current: %v, with the warnings %v", current, warned)
			}
			if _, current := OpenRecord(dir).IsCurrent("v0.2.0"); current {
				t.Error("it is current for another opgen")
			}
			if _, current := NoRecord(dir).IsCurrent(version); current {
				t.Error("it is current without a record")
			}
			replace(t, dir+"/internal/order/sync.go", "package order\n", "package order\n\nvar mine = 1\n")
			if err := os.WriteFile(dir+"/api/shop/v1/more.txt", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, current := OpenRecord(dir).IsCurrent(version); !current {
				t.Error("it is not current after a file that does not matter")
			}
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			if _, current := OpenRecord(dir).IsCurrent(version); current {
				t.Error("it is current after the change")
			}
		})
	}
}
