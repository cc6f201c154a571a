package importer

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Spec is what one CRD says, as a spec file.
type Spec struct {
	Name string    // of the CRD: plural.group
	Kind string    // such as EchoServer
	Text []byte    // the spec file
	API  *spec.API // what the text says
}

// Import reads YAML documents and returns a spec for each CRD in them, in their order. Documents
// that are no CRD are left out. The file is a name for positions; nothing is read from disk. There
// are no specs when there are problems, nor when no document is a CRD, which is one.
func Import(file string, data []byte) ([]Spec, spec.Problems) {
	documents, problems := readCRDs(file, data)
	if len(problems) > 0 {
		return nil, problems
	}
	var specs []Spec
	for _, d := range documents {
		c := newConverter(file)
		s := c.convertSpec(d)
		problems = append(problems, c.problems...)
		specs = append(specs, s)
	}
	switch {
	case len(problems) > 0:
		return nil, problems
	case len(specs) == 0:
		none := spec.Problem{Pos: spec.Pos{File: file}, Message: "holds no CustomResourceDefinition"}
		if spec.IsController(data) {
			none.Hint = "it is the spec file of a controller for kinds that exist already, which has none: its place is controllers/"
		}
		return nil, spec.Problems{none}
	}
	return specs, nil
}

// converter turns one CRD into a spec.
type converter struct{ schemaConverter }

// schemaConverter turns the schemas of a CRD into those of a spec.
type schemaConverter struct {
	reporter
	typeFinder
}

// typeFinder finds the types that schemas can be written as by name: of Kubernetes, and of the
// file.
type typeFinder struct {
	prints     prints
	kubernetes map[digest]kubernetesType
	repeats    repeats

	metadata kubetypes.Metadata // that the Kubernetes types of the CRD have
}

// reporter collects the errors of a CRD.
type reporter struct {
	file     string
	problems spec.Problems
}

func newConverter(file string) *converter {
	return &converter{schemaConverter{
		reporter{file: file}, typeFinder{prints: prints{}, kubernetes: map[digest]kubernetesType{}},
	}}
}

func (c *reporter) fail(n *yaml.Node, path, message, hint string) {
	pos := spec.Pos{File: c.file, Line: n.Line, Column: n.Column}
	c.problems = append(c.problems, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint})
}

// convertSpec converts a CRD and parses the result.
func (c *converter) convertSpec(crd *yaml.Node) Spec {
	out := c.convertCRD(crd)
	if len(c.problems) > 0 {
		return Spec{}
	}
	s := Spec{
		Name: scalarText(lookupPath(crd, "metadata", "name")),
		Kind: scalarText(lookupPath(crd, "spec", "names", "kind")),
		Text: writeSpec(out),
	}
	api, problems := spec.ParseAPI(c.file, s.Text)
	if len(problems) > 0 || hasUnsatisfiable(api) { // such as a column of no field: the API server does not mind
		s.Text = writeSpec(acceptUnsatisfiable(out))
		api, problems = spec.ParseAPI(c.file, s.Text)
	}
	for _, p := range problems { // which are of the CRD, and about text that its author has not seen
		c.fail(crd, p.Path, p.Message, "in the spec file of "+s.Name)
	}
	s.API = api
	return s
}
