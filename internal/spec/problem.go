package spec

import (
	"slices"
	"strings"
)

// Problem is an error in a spec file, or a warning about something that is accepted but causes
// trouble later.
type Problem struct {
	Pos     Pos
	Path    string  // where in the document, such as spec.replicas.minimum; empty for the document itself
	Message string  // what is wrong, such as unknown key
	Hint    string  // what to do about it, such as did you mean "minimum"?; may be empty
	Warning Warning // the name by which the file can accept it; empty: an error
}

// Severity returns "error" or "warning".
func (p Problem) Severity() string {
	if p.Warning != "" {
		return "warning"
	}
	return "error"
}

// String returns the problem as opgen prints it, with the hint on a second line.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Pos.String())
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path)
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("\n    ")
		b.WriteString(p.Hint)
	}
	return b.String()
}

// Problems are all problems of an input. Err makes an error of them.
type Problems []Problem

// Error lists the problems, one after the other.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, sorted by position, or nil if there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps.Sorted()
}

// Sorted returns the problems sorted by position.
func (ps Problems) Sorted() Problems {
	sorted := slices.Clone(ps)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		if c := strings.Compare(a.Pos.File, b.Pos.File); c != 0 {
			return c
		}
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return sorted
}
