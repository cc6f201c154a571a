package importer

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// CRD is a CRD that was read, and where it is.
type CRD struct {
	Pos    spec.Pos
	Object *apiextv1.CustomResourceDefinition
}

// CRDs reads YAML documents and returns the CRDs among them as they are, also those in Lists of v1.
// It skips other documents. file is the name of the documents in positions. It returns only
// problems if a CRD cannot be read.
func CRDs(file string, data []byte) ([]CRD, spec.Problems) {
	documents, problems := readCRDs(file, data)
	var crds []CRD
	for _, document := range documents {
		c := reporter{file: file}
		crd := CRD{Pos: spec.Pos{File: file, Line: document.Line, Column: document.Column}, Object: c.readObject(document)}
		crds, problems = append(crds, crd), append(problems, c.problems...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return crds, nil
}

// readObject returns a CRD with its Go type. It adds a problem if the document lacks what identifies
// a CRD.
func (c *reporter) readObject(document *yaml.Node) *apiextv1.CustomResourceDefinition {
	for _, path := range [][]string{{"spec", "group"}, {"spec", "names", "kind"}, {"spec", "names", "plural"}} {
		if scalarText(lookupPath(document, path...)) == "" {
			c.addProblem(document, strings.Join(path, "."), "is missing in a CustomResourceDefinition", "")
		}
	}
	c.refuseRepeatedKeys(document)
	text, err := json.Marshal(plainValue(document))
	crd := &apiextv1.CustomResourceDefinition{}
	if err == nil {
		err = json.Unmarshal(text, crd)
	}
	if err != nil {
		c.addProblem(document, "", fmt.Sprintf("cannot be read as a CustomResourceDefinition: %v", err), "")
	}
	return crd
}

// refuseRepeatedKeys adds a problem for each key that a mapping has twice.
func (c *reporter) refuseRepeatedKeys(n *yaml.Node) {
	for _, child := range n.Content {
		c.refuseRepeatedKeys(child)
	}
	entries := entriesOf(n)
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if seen[e.key.Value] {
			c.addProblem(e.key, e.key.Value, "the key is there twice", "remove one of them: readers of YAML take the first, the last, or none")
		}
		seen[e.key.Value] = true
	}
}

// plainValue returns a value as package json encodes it.
func plainValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		fields := map[string]any{}
		for _, e := range entriesOf(n) {
			fields[e.key.Value] = plainValue(e.value)
		}
		return fields
	case yaml.SequenceNode:
		items := []any{}
		for _, item := range itemsOf(n) {
			items = append(items, plainValue(item))
		}
		return items
	}
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool", "!!null":
		return json.RawMessage(scalarValue(n))
	}
	return n.Value
}
