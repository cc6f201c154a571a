package importer

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

const (
	// maxAliased is how many values a file may have beside its own once its aliases are written
	// out.
	maxAliased = 1 << 17
	// maxDepth is how deep they may nest.
	maxDepth = 200
)

// readCRDs returns the CRDs among the documents of a file, also those in lists.
func readCRDs(file string, data []byte) ([]*yaml.Node, spec.Problems) {
	whole := spec.Pos{File: file}
	if problem := spec.TooLarge(file, data); problem != nil {
		return nil, spec.Problems{*problem}
	}
	var crds []*yaml.Node
	decode := yamltext.NewDecoder(string(data))
	budget := maxAliased
	for {
		var doc yaml.Node
		err := decode.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return crds, nil
		}
		if err != nil {
			return nil, spec.Problems{{Pos: whole, Message: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}}
		}
		root, err := resolveAliases(&doc, &budget, 0, false)
		if err != nil {
			return nil, spec.Problems{{Pos: whole, Message: err.Error()}}
		}
		found, problem := crdsOf(file, root.Content[0])
		if problem != nil {
			return nil, spec.Problems{*problem}
		}
		crds = append(crds, found...)
	}
}

// oldBooleans are booleans in the YAML that Kubernetes reads, unless they are quoted.
var oldBooleans = map[string]string{"y": "true", "yes": "true", "on": "true", "n": "false", "no": "false", "off": "false"}

// isPlainScalar reports whether a node is a scalar without quotes, in one of the cases that
// booleans can have.
func isPlainScalar(n *yaml.Node) bool {
	lower, upper := strings.ToLower(n.Value), strings.ToUpper(n.Value)
	return n.Kind == yaml.ScalarNode && n.Style == 0 &&
		(n.Value == lower || n.Value == upper || n.Value == upper[:1]+lower[1:])
}

// resolveAliases returns a node with its aliases written out, and with the booleans that Kubernetes
// sees in it. What is aliased takes from the budget.
func resolveAliases(n *yaml.Node, budget *int, depth int, aliased bool) (*yaml.Node, error) {
	if aliased {
		*budget--
	}
	if *budget < 0 {
		return nil, errors.New("has too many values once its aliases are written out")
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("is nested more than %d levels deep", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return resolveAliases(n.Alias, budget, depth+1, true)
	}
	n.HeadComment, n.LineComment, n.FootComment = "", "", "" // of the file, not of a description
	if len(n.Value) <= len("false") {
		if value, ok := oldBooleans[strings.ToLower(n.Value)]; ok && isPlainScalar(n) {
			n.Tag, n.Value = "!!bool", value
		}
	}
	for i, c := range n.Content {
		p, err := resolveAliases(c, budget, depth+1, aliased)
		if err != nil {
			return nil, err
		}
		if p != c {
			n.Content[i] = p
		}
	}
	return n, nil
}

// crdsOf returns the CRDs that a document is or lists.
func crdsOf(file string, root *yaml.Node) ([]*yaml.Node, *spec.Problem) {
	apiVersion, kind := scalarText(lookupPath(root, "apiVersion")), scalarText(lookupPath(root, "kind"))
	if kind == "List" && apiVersion == "v1" {
		var all []*yaml.Node
		for _, item := range itemsOf(lookupPath(root, "items")) {
			found, problem := crdsOf(file, item)
			if problem != nil {
				return nil, problem
			}
			all = append(all, found...)
		}
		return all, nil
	}
	switch {
	case kind != "CustomResourceDefinition":
		return nil, nil
	case apiVersion != "apiextensions.k8s.io/v1":
		return nil, &spec.Problem{
			Pos:     spec.Pos{File: file, Line: root.Line, Column: root.Column},
			Message: fmt.Sprintf("is a CustomResourceDefinition of %q", apiVersion),
			Hint:    "Kubernetes has them in apiextensions.k8s.io/v1 only",
		}
	}
	return []*yaml.Node{root}, nil
}
