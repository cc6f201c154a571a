package templates

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

//go:embed files/spec/*.tmpl
var specFiles embed.FS

// ProjectView is what opgen.yaml says in a new project.
type ProjectView struct {
	Name, Module, Domain, Watch string
	Multigroup                  bool
}

// ProjectFile renders opgen.yaml.
func ProjectFile(view ProjectView) ([]byte, error) {
	return renderSpec("project.yaml.tmpl", view)
}

// DraftView is what the draft of an API file says.
type DraftView struct {
	Group, Version, Kind, Scope string
	Children                    []DraftChild
}

// DraftChild is a kind of children in a draft.
type DraftChild struct{ APIVersion, Kind string }

// HoldsData tells whether deleting such a child deletes data, so that the spec language wants it written out when
// that happens.
func (c DraftChild) HoldsData() bool {
	switch c.Kind {
	case "PersistentVolumeClaim", "Namespace", "CustomResourceDefinition":
		return true
	}
	return false
}

// Draft renders the draft of an API file: a spec and a status with one field each, to be replaced by its author.
func Draft(view DraftView) ([]byte, error) {
	return renderSpec("api.yaml.tmpl", view)
}

func renderSpec(name string, view any) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"scalar": scalar}).ParseFS(specFiles, "files/spec/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, view); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// scalar writes a string as a YAML scalar on one line, quoted where it must be.
func scalar(value string) (string, error) {
	if strings.ContainsAny(value, "\n\r") {
		return fmt.Sprintf("%q", value), nil
	}
	out, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(out), "\n"), err
}
