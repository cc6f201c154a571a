package gomodel

import (
	"fmt"
	"go/ast"
	"go/format"
	"strings"
)

// fieldDoc returns the doc comment of a field: its description, word for word.
func fieldDoc(n node) []string {
	return commentLines(n.schema.Keywords.Description)
}

// ownDoc returns the doc comment of the type of a node: its description. In the CRD of
// controller-gen, fields of the type inherit the comment unless they have a description. A type
// without a description has no comment.
func ownDoc(n node) []string {
	description := n.schema.Keywords.Description
	if n.element { // no field holds the description
		return typeDoc(description, fmt.Sprintf("%s is %s.", n.name, describePlace(n.path)))
	}
	first, _, _ := strings.Cut(description, "\n\n") // the field has all of it
	if !isExpressible(first) || !isFormatted(commentLines(first)) {
		return nil
	}
	return commentLines(first)
}

// typeDoc returns the doc comment of a type whose description must be word for word in the CRD. If
// no comment expresses it, the comment says what the type is for and quotes the description.
func typeDoc(description, about string) []string {
	if description == "" {
		return nil
	}
	if lines := commentLines(description); isExpressible(description) && isFormatted(lines) {
		return lines
	}
	return append([]string{about, ""}, quoteLines(description)...)
}

// commentLines returns the lines of a comment that controller-gen reads the description back from.
// If there is no such comment, because controller-gen takes a line for a marker, skips it or
// changes it, the lines quote the description.
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

// isExpressible reports whether controller-gen reads a description back from a comment with its
// lines.
func isExpressible(description string) bool {
	return description == "" || !strings.ContainsAny(description, "\r\x00\ufeff") &&
		readBack(strings.Split(description, "\n")) == description
}

// quoteLines returns the description with a bar before each line: no line of it can be a marker or
// a directive.
func quoteLines(description string) []string {
	description = strings.NewReplacer("\r", "", "\x00", "", "\ufeff", "").Replace(description)
	var lines []string
	for _, line := range strings.Split(description, "\n") {
		lines = append(lines, strings.TrimRight("| "+line, " \t"))
	}
	return lines
}

// readBack returns what controller-gen makes of comment lines: the text of the comment, without the
// lines that are markers or begin with TODO, up to a line of dashes. Fenced code is left alone.
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

// isFormatted reports whether gofmt leaves the lines alone above a type. It knows lists, headings
// and code there.
func isFormatted(lines []string) bool {
	source := "package p\n\n// " + strings.Join(lines, "\n// ") + "\ntype T int\n"
	source = strings.ReplaceAll(source, "// \n", "//\n")
	out, err := format.Source([]byte(source))
	return err == nil && string(out) == source
}

// describePlace turns a path into words: EchoServer.spec.ports.items is "an item of spec.ports",
// and a named type one "that the spec file names".
func describePlace(path string) string {
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
