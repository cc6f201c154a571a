package kubebuilder

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// FileName is the file at the root of a kubebuilder project.
const FileName = "PROJECT"

// Project is the content of PROJECT.
type Project struct {
	Name       string     `yaml:"projectName"`
	Domain     string     `yaml:"domain"`
	Repo       string     `yaml:"repo"` // its Go module path, or that of its folder in a module
	Multigroup bool       `yaml:"multigroup"`
	Resources  []Resource `yaml:"-"`
}

// Resource is a kind, in one version, that the project defines or has code for.
type Resource struct {
	API      *struct{} `yaml:"api"` // nil: the project does not define the kind
	Domain   string    `yaml:"domain"`
	Group    string    `yaml:"group"`
	Version  string    `yaml:"version"`
	Kind     string    `yaml:"kind"`
	Path     string    `yaml:"path"` // the import path of its types
	External bool      `yaml:"external"`
	Core     bool      `yaml:"core"`
	Pos      spec.Pos  `yaml:"-"`
}

// IsDefined reports whether the project defines the kind itself.
func (r Resource) IsDefined() bool { return r.API != nil && !r.External && !r.Core }

// QualifiedGroup returns the API group with its domain.
func (r Resource) QualifiedGroup() string {
	if r.Group == "" || r.Domain == "" {
		return r.Group + r.Domain
	}
	return r.Group + "." + r.Domain
}

// projectFile is PROJECT as it is written.
type projectFile struct {
	Project   `yaml:",inline"`
	Version   string      `yaml:"version"`
	Layout    yaml.Node   `yaml:"layout"`
	Resources []yaml.Node `yaml:"resources"`
}

// ParseProject parses PROJECT. It returns problems unless it is of a project with a Go operator.
func ParseProject(data []byte) (*Project, spec.Problems) {
	fail := func(at spec.Pos, path, message, hint string) spec.Problems {
		return spec.Problems{{Pos: at, Path: path, Message: message, Hint: hint}}
	}
	whole := spec.Pos{File: FileName}
	var file projectFile
	if err := yaml.Unmarshal(data, &file); err != nil {
		return nil, fail(whole, "", "cannot be read: "+err.Error(), "correct it, or make it again with: kubebuilder alpha generate")
	}
	layouts, at := file.layouts()
	var problems spec.Problems
	switch {
	case !slices.Contains([]string{"2", "3-alpha", "3"}, file.Version):
		problems = fail(whole, "version", quoteOr(file.Version, "no version")+" is not accepted: opgen reads the versions 2 and 3, which kubebuilder writes since 2.0",
			"write version: \"3\", with the kinds in resources: the Go code says the rest")
	case slices.ContainsFunc(layouts, isOtherOperator):
		problems = fail(at, "layout", strings.Join(layouts, ", ")+" is no operator in Go",
			"docs/coming-from/operator-sdk.md says what becomes of Helm charts and Ansible roles")
	case len(layouts) > 0 && !slices.ContainsFunc(layouts, func(l string) bool { return strings.HasPrefix(l, "go.kubebuilder.io/") }):
		problems = fail(at, "layout", `"`+strings.Join(layouts, ", ")+`" is not accepted`, "opgen takes over projects of the layouts go.kubebuilder.io/v3 and v4")
	}
	project := file.Project
	for _, node := range file.Resources {
		r := Resource{Pos: positionOf(node)}
		if err := node.Decode(&r); err != nil {
			problems = append(problems, fail(r.Pos, "resources", err.Error(), "")...)
			continue
		}
		if file.Version != "3" {
			r.Domain = file.Domain // its resources have none of their own
		}
		if r.Kind == "" || r.Version == "" {
			problems = append(problems, fail(r.Pos, "resources", "has no kind, or no version", "write both, as in the other resources")...)
			continue
		}
		project.Resources = append(project.Resources, r)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &project, nil
}

// layouts returns the plugins that have made the project, and where they stand. Old projects have
// one, without a list, or none.
func (f projectFile) layouts() ([]string, spec.Pos) {
	var list []string
	if f.Layout.Decode(&list) == nil {
		return list, positionOf(f.Layout)
	}
	if f.Layout.Value == "" {
		return nil, positionOf(f.Layout)
	}
	return []string{f.Layout.Value}, positionOf(f.Layout)
}

// positionOf returns where a node of PROJECT is.
func positionOf(n yaml.Node) spec.Pos {
	return spec.Pos{File: FileName, Line: n.Line, Column: n.Column}
}

// isOtherOperator reports whether a layout is one of operator-sdk whose operators are not in Go.
func isOtherOperator(layout string) bool {
	return strings.HasPrefix(layout, "helm.sdk.") || strings.HasPrefix(layout, "ansible.sdk.") || strings.HasPrefix(layout, "quarkus.")
}

func quoteOr(text, instead string) string {
	if text == "" {
		return instead
	}
	return `"` + text + `"`
}
