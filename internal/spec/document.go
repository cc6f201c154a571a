package spec

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// maxDepth is how deep mappings and lists may nest. A CRD of the real world has up to 20 levels of
// fields, each of which can take two.
const maxDepth = 64

// parseDocument parses data as exactly one YAML document without anchors, aliases and tags. It
// returns the document's content, nil if there are problems that leave nothing to read.
func parseDocument(file string, data []byte) (*decoder, *yaml.Node) {
	src, problem := newSource(file, data)
	d := &decoder{src: src, file: file}
	if problem != nil {
		d.problems = Problems{*problem}
		return d, nil
	}
	decode := yamltext.NewDecoder(src.text)
	var doc yaml.Node
	switch err := decode.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.failAt(Pos{File: file}, "", "is empty", "")
		return d, nil
	case err != nil:
		d.reportSyntax(err)
		return d, nil
	}
	if d.isCRD(doc.Content[0]) { // which may have what a spec file must not
		return d, nil
	}
	var next yaml.Node
	switch err := decode.Decode(&next); {
	case errors.Is(err, io.EOF):
	case err != nil:
		d.reportSyntax(err)
		return d, nil
	default:
		d.fail(&next, "", "a second document starts here", "one spec file holds one document: split the file")
		return d, nil
	}
	root := doc.Content[0]
	d.checkWellFormed(root, 1)
	if len(d.problems) > 0 {
		return d, nil
	}
	if yamltext.IsNull(root) {
		d.failAt(Pos{File: file}, "", "is empty", "")
		return d, nil
	}
	if root.Kind != yaml.MappingNode {
		d.fail(root, "", "expected a mapping, got "+describeNode(root), "a spec file starts with apiVersion: "+FormatVersion)
		return d, nil
	}
	return d, root
}

// isCRD reports whether a document is a CustomResourceDefinition. It adds one problem for that, since
// every key of the document would have another.
func (d *decoder) isCRD(root *yaml.Node) bool {
	_, kind := lookupKey(root, "kind")
	if kind == nil || kind.Value != "CustomResourceDefinition" {
		return false
	}
	file := d.file
	if file == StandardInput {
		file = "-"
	}
	d.fail(kind, "kind", "this is a CustomResourceDefinition, and not a spec file", "make a spec file of it: opgen import "+file)
	return true
}

// StandardInput is the name of standard input in positions.
const StandardInput = "standard input"

// checkWellFormed reports what a spec file uses of YAML that it must not.
func (d *decoder) checkWellFormed(n *yaml.Node, depth int) {
	if depth > maxDepth && n.Kind != yaml.ScalarNode {
		d.fail(n, "", "is nested more than "+strconv.Itoa(maxDepth)+" levels deep", "")
		return
	}
	switch {
	case n.Kind == yaml.AliasNode:
		d.fail(n, "", "aliases such as *"+n.Value+" are not accepted", "write the value out, or quote text that starts with *")
		return
	case n.Anchor != "":
		d.fail(n, "", "anchors such as &"+n.Anchor+" are not accepted", "write the value out, or quote text that starts with &")
	case n.Style&yaml.TaggedStyle != 0:
		d.fail(n, "", "tags such as "+n.Tag+" are not accepted", "quote text that starts with !")
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && !strings.HasPrefix(d.src.text[d.src.offsetOf(n):], "{"):
		d.fail(n, "", `": " in an unquoted value starts a mapping`, "quote the value")
	}
	if n.Kind == yaml.ScalarNode {
		d.src.markQuoted(n)
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode && c.Value == "<<" && c.Style == 0 {
			d.fail(c, "", "merge keys (<<) are not accepted", "write the keys out")
			continue
		}
		d.checkWellFormed(c, depth+1)
	}
}
