package spec

import (
	"slices"
	"strings"
)

// Problem is one error in a spec file, or one warning of what is accepted and will hurt.
type Problem struct {
	Pos     Pos
	Path    string  // where in the document, such as spec.replicas.minimum; empty for the document itself
	Message string  // what is wrong, such as unknown key
	Hint    string  // what to do about it, such as did you mean "minimum"?; may be empty
	Warning Warning // the name by which the file can accept it; empty: an error
}

// Severity returns error for what is refused, and warning for what is accepted.
func (p Problem) Severity() string {
	if p.Warning != "" {
		return "warning"
	}
	return "error"
}

// String returns the problem as users see it, the hint on a line of its own.
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

// Problems are all errors of an input. They are a Go error when there is at least one: see Err.
type Problems []Problem

// Error lists the problems, one after the other.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems in the order of their positions as an error, nil when there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps.Sorted()
}

// Sorted returns the problems in the order of their positions.
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
