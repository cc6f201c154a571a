package crdgen

import (
	"fmt"
	"go/ast"
	"go/format"
	"strings"
)

// fieldDoc returns the doc comment of a field: its description, word for word.
func (b *packageBuilder) fieldDoc(n node) []string {
	lines, said := commentLines(n.schema.Keywords.Description)
	if !said {
		b.unsaid(n.path, "description")
	}
	return lines
}

// ownDoc returns the doc comment of the type of a node: what its description says. The fields of the type inherit it
// in controller-gen's CRD unless they have a description of their own, so that a type without one has no comment.
func (b *packageBuilder) ownDoc(n node) []string {
	description := n.schema.Keywords.Description
	if n.element { // there is no field to hold the description
		return b.typeDoc(n.path, description, fmt.Sprintf("%s is %s.", n.name, place(n.path)))
	}
	first, _, _ := strings.Cut(description, "\n\n") // the field has all of it
	lines, said := commentLines(first)
	if !said || !formatted(lines) {
		return nil
	}
	return lines
}

// typeDoc returns the doc comment of a type whose description must be word for word in the CRD. Where a comment cannot
// be, it says what the type is about, and shows the description.
func (b *packageBuilder) typeDoc(path, description, about string) []string {
	if description == "" {
		return nil
	}
	lines, said := commentLines(description)
	if !said || !formatted(lines) {
		b.unsaid(path, "description")
		return append([]string{about, ""}, quoted(description)...)
	}
	return lines
}

// commentLines returns the lines of a comment that controller-gen reads the description back from. Where
// there is no such comment, because a line would be a marker, or be skipped, or be changed, the lines show the
// description in a form that is nothing but text, and said is false.
func commentLines(description string) (lines []string, said bool) {
	if description == "" {
		return nil, true
	}
	lines = strings.Split(description, "\n")
	if strings.ContainsAny(description, "\r\x00\ufeff") || readBack(lines) != description {
		return quoted(description), false
	}
	return lines, true
}

// quoted returns the description with a bar before each line: no line of it can be a marker or a directive.
func quoted(description string) []string {
	description = strings.NewReplacer("\r", "", "\x00", "", "\ufeff", "").Replace(description)
	var lines []string
	for _, line := range strings.Split(description, "\n") {
		lines = append(lines, strings.TrimRight("| "+line, " \t"))
	}
	return lines
}

// readBack returns what controller-gen makes of comment lines: the text of the comment, without the lines that
// are markers or begin with TODO, up to a line of dashes. Fenced code is left alone.
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

// formatted tells whether gofmt leaves the lines alone above a type. It knows lists, headings and code there.
func formatted(lines []string) bool {
	source := "package p\n\n// " + strings.Join(lines, "\n// ") + "\ntype T int\n"
	source = strings.ReplaceAll(source, "// \n", "//\n")
	out, err := format.Source([]byte(source))
	return err == nil && string(out) == source
}

// place turns a path into words: EchoServer.spec.ports.items is "an item of spec.ports", and a named type one "that the
// spec file names".
func place(path string) string {
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
