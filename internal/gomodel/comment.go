package gomodel

import (
	"fmt"
	"go/ast"
	"go/format"
	"strings"
)

// fieldDoc returns the doc comment of a field, which is its description.
func (n node) fieldDoc() []string {
	return commentLines(n.schema.Keywords.Description)
}

// ownDoc returns the doc comment of the type of a node: its description. Fields of the type without
// a description get it in the CRD of controller-gen, so a type without a description has no
// comment.
func (n node) ownDoc() []string {
	description := n.schema.Keywords.Description
	if n.element { // no field has the description
		return typeDoc(description, fmt.Sprintf("%s is %s.", n.name, describePath(n.path)))
	}
	first, _, _ := strings.Cut(description, "\n\n") // the field has the rest
	if !isExpressible(first) || !isFormatted(commentLines(first)) {
		return nil
	}
	return commentLines(first)
}

// typeDoc returns the doc comment of a type whose description must be exact in the CRD. If a
// comment cannot express it, the comment says what the type is for and quotes the description.
func typeDoc(description, about string) []string {
	if description == "" {
		return nil
	}
	if lines := commentLines(description); isExpressible(description) && isFormatted(lines) {
		return lines
	}
	return append([]string{about, ""}, quoteLines(description)...)
}

// commentLines returns the lines of a comment from which controller-gen reads the description back.
// If it cannot, because it takes a line for a marker, skips it or changes it, the lines quote the
// description.
func commentLines(description string) []string {
	switch {
	case description == "":
		return nil
	case isExpressible(description):
		return strings.Split(description, "\n")
	default:
		return quoteLines(description)
	}
}

// isExpressible reports whether controller-gen reads a description back from a comment that
// consists of its lines.
func isExpressible(description string) bool {
	return description == "" || !strings.ContainsAny(description, "\r\x00\ufeff") &&
		readBack(strings.Split(description, "\n")) == description
}

// quoteLines returns the description with a bar in front of each line, so that no line is a marker
// or a directive.
func quoteLines(description string) []string {
	description = strings.NewReplacer("\r", "", "\x00", "", "\ufeff", "").Replace(description)
	var lines []string
	for _, line := range strings.Split(description, "\n") {
		lines = append(lines, strings.TrimRight("| "+line, " \t"))
	}
	return lines
}

// readBack returns the description that controller-gen reads from comment lines. It drops markers
// and lines that begin with TODO, and everything after a line of dashes, but keeps fenced code as
// it is.
func readBack(lines []string) string {
	var group ast.CommentGroup
	for _, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			group.List = append(group.List, &ast.Comment{Text: strings.TrimSuffix("// "+line, " ")})
		}
	}
	var kept []string
	fenced := false
	for _, line := range strings.Split(strings.TrimSuffix(group.Text(), "\n"), "\n") {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(line, "---") {
			break
		}
		if fenced || !strings.HasPrefix(line, "TODO") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// isFormatted reports whether gofmt leaves the lines of a doc comment as they are. It would
// reformat lists, headings and code.
func isFormatted(lines []string) bool {
	source := "package p\n\n// " + strings.Join(lines, "\n// ") + "\ntype T int\n"
	source = strings.ReplaceAll(source, "// \n", "//\n")
	out, err := format.Source([]byte(source))
	return err == nil && string(out) == source
}

// describePath turns a path into words: EchoServer.spec.ports.items is "an item of spec.ports", and
// a named type is one "that the spec file names".
func describePath(path string) string {
	_, path, below := strings.Cut(path, ".")
	if !below {
		return "a type that the spec file names"
	}
	if list, found := strings.CutSuffix(path, ".items"); found {
		return "an item of " + list
	}
	if values, found := strings.CutSuffix(path, ".additionalProperties"); found {
		return "a value of " + values
	}
	return path
}
