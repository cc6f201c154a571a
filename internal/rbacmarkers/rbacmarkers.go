// Package rbacmarkers reads the +kubebuilder:rbac markers in the Go source of a project. It only
// parses comments and loads no packages, so that it works while the code does not compile.
package rbacmarkers

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/opgen-dev/opgen/internal/spec"
)

// marker is how the comments begin, after their slashes.
const marker = "+kubebuilder:rbac"

// Find returns the rules in the comments of a project's Go files, in the order of the files. It
// skips tests, generated files and other modules. A tree that does not exist has none.
func Find(tree fs.FS) ([]spec.PolicyRule, spec.Problems, error) {
	var f finder
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == "." && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (isIgnoredFolder(entry.Name()) || fileExists(tree, path.Join(name, "go.mod"))):
			return fs.SkipDir
		case !entry.Type().IsRegular() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err == nil && bytes.Contains(source, []byte(marker)) {
			f.readFile(name, source)
		}
		return err
	})
	return f.rules, f.problems, err
}

// isIgnoredFolder reports whether the go command ignores a folder.
func isIgnoredFolder(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "vendor" || folder == "testdata"
}

func fileExists(tree fs.FS, name string) bool {
	_, err := fs.Stat(tree, name)
	return err == nil
}

// finder collects rules.
type finder struct {
	rules    []spec.PolicyRule
	problems spec.Problems
}

// readFile reads the markers of one file. It ignores errors in its code, which the compiler
// reports.
func (f *finder) readFile(name string, source []byte) {
	files := token.NewFileSet()
	parsed, _ := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if parsed == nil || ast.IsGenerated(parsed) {
		return
	}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			text, line := strings.CutPrefix(comment.Text, "//")
			text = strings.TrimSpace(text)
			if !line || !strings.HasPrefix(text, marker) {
				continue
			}
			at := files.Position(comment.Pos())
			f.readRule(spec.Pos{File: name, Line: at.Line, Column: at.Column}, text)
		}
	}
}

// readRule reads one marker.
func (f *finder) readRule(pos spec.Pos, text string) {
	fail := func(message, hint string) {
		f.problems = append(f.problems, spec.Problem{Pos: pos, Path: marker, Message: message, Hint: hint})
	}
	const example = "such as // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch"
	if !strings.HasPrefix(text, marker+":") {
		fail("is followed by no colon", example)
		return
	}
	parsed, err := rbac.RuleDefinition.Parse(text)
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "["), " (at <input>")
		fail(first, example)
		return
	}
	rule := parsed.(rbac.Rule)
	switch {
	case rule.Namespace != "" && len(rule.URLs) > 0:
		fail("urls have no namespace", "leave namespace out")
	case len(rule.Verbs) == 0:
		fail("has no verbs", example)
	case len(rule.URLs) > 0 && len(rule.Groups)+len(rule.Resources)+len(rule.ResourceNames) > 0:
		fail("urls do not go with resources", "write two markers")
	case len(rule.URLs) == 0 && (len(rule.Groups) == 0 || len(rule.Resources) == 0):
		fail("needs groups and resources, or urls", `the core group is groups=""`)
	default:
		f.rules = append(f.rules, policyRule(rule))
	}
}

func policyRule(r rbac.Rule) spec.PolicyRule {
	groups := slices.Clone(r.Groups)
	for i, group := range groups {
		if group == "core" { // as controller-gen reads it
			groups[i] = ""
		}
	}
	return spec.PolicyRule{
		APIGroups: groups, Resources: r.Resources, Verbs: r.Verbs, ResourceNames: r.ResourceNames, NonResourceURLs: r.URLs,
		Namespace: r.Namespace, RoleName: r.RoleName,
	}
}
