package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Spec is the spec file for one CRD.
type Spec struct {
	Name string    // of the CRD: plural.group
	Kind string    // such as EchoServer
	Text []byte    // the spec file
	API  *spec.API // the text, parsed
	// LeftOut names what is not in the spec file because a tool of a cluster wrote it: "label olm.managed".
	LeftOut []string
	// Warnings are about texts that look like actions of a template.
	Warnings spec.Problems
}

// Import reads YAML documents and returns a spec for each CRD, in their order. It skips other
// documents. file is the name of the documents in positions; Import reads nothing from disk. It
// returns only problems if a CRD cannot be converted, or if no document is a CRD.
func Import(file string, data []byte) ([]Spec, spec.Problems) {
	documents, problems := readCRDs(file, data)
	if len(problems) > 0 {
		return nil, problems
	}
	var specs []Spec
	for _, d := range documents {
		c := newConverter(file)
		s := c.convertSpec(d)
		if mayBeTemplate(string(data)) {
			s.Warnings = suspectTexts(file, d)
		}
		problems = append(problems, c.problems...)
		specs = append(specs, s)
	}
	switch {
	case len(problems) > 0:
		return nil, problems
	case len(specs) == 0:
		none := spec.Problem{Pos: spec.Pos{File: file}, Message: "contains no CustomResourceDefinition"}
		if spec.IsController(data) {
			none.Hint = "this is the spec file of a controller for existing kinds: put it into controllers/"
		}
		return nil, spec.Problems{none}
	}
	return specs, nil
}

// converter converts one CRD.
type converter struct {
	schemaConverter
	leftOut []string
}

// schemaConverter converts the schemas of a CRD.
type schemaConverter struct {
	reporter
	typeFinder
}

// typeFinder finds the schemas that a spec file can replace by the name of a type: a type of
// Kubernetes, or one of the file's own types.
type typeFinder struct {
	digester   digester
	kubernetes map[digest]kubernetesType
	repeats    repeats

	metadata kubetypes.Metadata // what the schemas of Kubernetes types in the CRD say of embedded metadata
}

// reporter collects the errors of a CRD.
type reporter struct {
	file     string
	problems spec.Problems
}

func newConverter(file string) *converter {
	return &converter{schemaConverter: schemaConverter{
		reporter{file: file}, typeFinder{digester: digester{}, kubernetes: map[digest]kubernetesType{}},
	}}
}

func (c *reporter) addProblem(n *yaml.Node, path, message, hint string) {
	pos := spec.Pos{File: c.file, Line: n.Line, Column: n.Column}
	c.problems = append(c.problems, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint})
}

// convertSpec converts a CRD and parses the spec file.
func (c *converter) convertSpec(crd *yaml.Node) Spec {
	if c.refuseRepeatedKeys(crd); len(c.problems) > 0 {
		return Spec{}
	}
	out := c.convertCRD(crd)
	slices.Sort(c.leftOut)
	if len(c.problems) > 0 {
		return Spec{}
	}
	s := Spec{
		Name: scalarText(lookupPath(crd, "metadata", "name")),
		Kind: scalarText(lookupPath(crd, "spec", "names", "kind")),
		Text: writeSpec(out), LeftOut: c.leftOut,
	}
	api, problems := spec.ParseAPI(c.file, s.Text)
	if len(problems) > 0 || hasUnsatisfiable(api) { // such as a column for a field that does not exist, which the API server accepts
		s.Text = writeSpec(acceptUnsatisfiable(out))
		api, problems = spec.ParseAPI(c.file, s.Text)
	}
	for _, p := range problems { // at the position of the CRD: its author has not seen the spec file
		c.addProblem(crd, p.Path, p.Message, "in the spec file of "+s.Name)
	}
	s.API = api
	return s
}
