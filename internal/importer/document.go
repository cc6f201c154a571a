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
	// maxAliased limits the values that aliases add to a file. Without a limit, a file of a few
	// lines can expand to billions of values.
	maxAliased = 1 << 17
	// maxDepth limits the nesting of values.
	maxDepth = 200
)

// readCRDs returns the CRDs of a file, also those in Lists of v1, and skips other documents.
func readCRDs(file string, data []byte) ([]*yaml.Node, spec.Problems) {
	whole := spec.Pos{File: file}
	if problem := spec.TooLarge(file, data); problem != nil {
		return nil, spec.Problems{*problem}
	}
	var crds []*yaml.Node
	decode := yamltext.NewDecoder(string(data))
	budget, isSuspect := maxAliased, mayBeTemplate(string(data))
	for {
		var doc yaml.Node
		err := decode.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return crds, nil
		}
		if err != nil {
			return nil, spec.Problems{syntaxProblem(file, data, err)}
		}
		if isSuspect {
			if problem := findTemplate(file, &doc); problem != nil {
				return nil, spec.Problems{*problem}
			}
		}
		root, err := resolveAliases(&doc, &budget, 0, false)
		if err != nil {
			return nil, spec.Problems{{Pos: whole, Message: err.Error()}}
		}
		found, problem := crdsIn(file, root.Content[0])
		if problem != nil {
			return nil, spec.Problems{*problem}
		}
		crds = append(crds, found...)
	}
}

// oldBooleans are the booleans of YAML 1.1. Kubernetes reads them as booleans if they have no
// quotes, while yaml.v3 reads them as text.
var oldBooleans = map[string]string{"y": "true", "yes": "true", "on": "true", "n": "false", "no": "false", "off": "false"}

// isPlainScalar reports whether a node is a scalar without quotes, in lower, upper or title case:
// YAML 1.1 has the booleans no, NO and No, but not nO.
func isPlainScalar(n *yaml.Node) bool {
	lower, upper := strings.ToLower(n.Value), strings.ToUpper(n.Value)
	return n.Kind == yaml.ScalarNode && n.Style == 0 &&
		(n.Value == lower || n.Value == upper || n.Value == upper[:1]+lower[1:])
}

// resolveAliases returns a node with aliases replaced by what they refer to, and with oldBooleans
// as booleans. Each value below an alias takes one from the budget. It returns an error if the
// budget is used up, or if values are nested too deep.
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
	n.HeadComment, n.LineComment, n.FootComment = "", "", "" // in a spec file, they would be descriptions
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

// crdsIn returns the document if it is a CRD, or the CRDs among its items if it is a list. The items of a list of CRDs
// have its apiVersion, and need not say that they are CRDs.
func crdsIn(file string, root *yaml.Node) ([]*yaml.Node, *spec.Problem) {
	apiVersion, kind := scalarText(lookupPath(root, "apiVersion")), scalarText(lookupPath(root, "kind"))
	if kind == "List" || kind == "CustomResourceDefinitionList" {
		var all []*yaml.Node
		for _, item := range itemsOf(lookupPath(root, "items")) {
			if kind == "CustomResourceDefinitionList" && item.Kind == yaml.MappingNode && lookupPath(item, "kind") == nil {
				item.Content = append([]*yaml.Node{textNode("apiVersion"), textNode(apiVersion), textNode("kind"), textNode("CustomResourceDefinition")}, item.Content...)
			}
			found, problem := crdsIn(file, item)
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
			Hint:    "convert it to apiextensions.k8s.io/v1, the only version that Kubernetes still serves",
		}
	}
	return []*yaml.Node{root}, nil
}
