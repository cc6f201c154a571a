package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// definition is a type of the schema.
type definition struct {
	Name string
	Map  struct{ Fields []member }
}

// member is a field of a type.
type member struct {
	Name    string
	Type    reference
	Default any
}

// reference is the type of a field or of an item.
type reference struct {
	NamedType string `yaml:"namedType"`
	List      *struct {
		ElementType         reference `yaml:"elementType"`
		ElementRelationship string    `yaml:"elementRelationship"`
		Keys                []string
	}
}

// loadTypes returns the types of the schema by name.
func loadTypes() (map[string]definition, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go").Output()
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(dir)), "applyconfigurations", "internal", "internal.go"))
	if err != nil {
		return nil, err
	}
	_, text, found := bytes.Cut(source, []byte("typed.YAMLObject(`"))
	text, _, closed := bytes.Cut(text, []byte("`"))
	if !found || !closed {
		return nil, errors.New("client-go's schema is not where it was")
	}
	var schema struct{ Types []definition }
	if err := yaml.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	types := map[string]definition{}
	for _, definition := range schema.Types {
		types[definition.Name] = definition
	}
	return types, nil
}
