package scaffold

import (
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/spec"
)

// MissingModules returns the Go types of parents, children and related objects for which go.mod of
// a tree requires no module. It also checks the module that CEL rules need. It only looks at import
// paths: the compiler finds out whether a package exists.
func MissingModules(tree fs.FS, apis []*spec.Summary, controllers []*spec.Controller) []VersionMismatch {
	text, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil // VersionMismatches reports it
	}
	file, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil || file.Module == nil {
		return nil
	}
	var missing []VersionMismatch
	for _, r := range namedKinds(apis, controllers) {
		dot := strings.LastIndex(r.GoType, ".")
		if dot < 0 || hasModuleFor(file, r.GoType[:dot]) {
			continue
		}
		m := VersionMismatch{Path: "go.mod", Message: "has no module for the Go type of " + r.Kind + ": run go get " + r.GoType[:dot]}
		if !slices.Contains(missing, m) {
			missing = append(missing, m)
		}
	}
	if hasRule(apis, controllers) && !hasModuleFor(file, "github.com/google/cel-go/cel") {
		missing = append(missing, VersionMismatch{Path: "go.mod", Message: "has no module for rules (readyWhen): run go mod tidy"})
	}
	return missing
}

// hasRule reports whether a child has a CEL rule. Only then the operator links the library for
// rules.
func hasRule(apis []*spec.Summary, controllers []*spec.Controller) bool {
	var children []spec.Child
	for _, api := range apis {
		if api.Operator != nil {
			children = append(children, api.Operator.Children...)
		}
	}
	for _, c := range controllers {
		children = append(children, c.Operator.Children...)
	}
	return slices.ContainsFunc(children, func(c spec.Child) bool { return c.ReadyWhen.Text != "" || c.FinishedWhen.Text != "" })
}

// namedKinds returns the kinds in spec files: parents of controllers, children and related objects.
func namedKinds(apis []*spec.Summary, controllers []*spec.Controller) []spec.Resource {
	var all []spec.Resource
	for _, c := range controllers {
		for _, p := range c.Parents {
			all = append(all, p.Resource)
		}
		all = append(all, operatorKinds(c.Operator)...)
	}
	for _, api := range apis {
		if api.Operator != nil {
			all = append(all, operatorKinds(api.Operator)...)
		}
	}
	return all
}

// Names reports whether spec files name a kind of parents, children or related objects.
func Names(apis []*spec.Summary, controllers []*spec.Controller, kind schema.GroupKind) bool {
	return slices.ContainsFunc(namedKinds(apis, controllers), func(r spec.Resource) bool {
		return schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).GroupKind() == kind
	})
}

// operatorKinds returns the kinds in an operator block.
func operatorKinds(op *spec.Operator) []spec.Resource {
	var all []spec.Resource
	for _, child := range op.Children {
		all = append(all, child.Resource)
	}
	for _, related := range op.Related {
		all = append(all, related.Resource)
	}
	return all
}

// hasModuleFor reports whether a module file requires a module that can contain an import path.
func hasModuleFor(file *modfile.File, importPath string) bool {
	holds := func(module string) bool { return importPath == module || strings.HasPrefix(importPath, module+"/") }
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") || holds(file.Module.Mod.Path) ||
		slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return holds(r.Mod.Path) })
}
