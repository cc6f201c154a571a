package spec

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pos is a place in a spec file. Line and Column count from 1; a zero Line means the whole file.
type Pos struct {
	File         string
	Line, Column int
}

// String returns file:line:column, or the file alone for a Pos without a line.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Expression is a text of another language in a spec file, such as a CEL rule.
type Expression struct {
	Pos  Pos
	Text string
	// Columns are those of the bytes of Text and of its end, as far as they are on the line of Pos.
	Columns []int
}

// At returns the position of a byte of the text, and that of the whole text when it is not on the
// same line.
func (e Expression) At(offset int) Pos {
	pos := e.Pos
	if offset >= 0 && offset < len(e.Columns) {
		pos.Column = e.Columns[offset]
	}
	return pos
}

// recordPositions notes the position of n and of all that is below it, by path.
func (s *source) recordPositions(into map[string]Pos, path string, n *yaml.Node) {
	if path != "" {
		into[path] = s.positionOf(n)
	}
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			s.recordPositions(into, indexPath(path, i), c)
		case i%2 == 1:
			s.recordPositions(into, joinPath(path, n.Content[i-1].Value), c)
		}
	}
}

// joinPath appends a key to a path; keys that are no plain words are quoted.
func joinPath(path, key string) string {
	if key == "" || strings.ContainsAny(key, ".[]\" \t\n") {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// indexPath appends the index of an item to a path.
func indexPath(path string, index int) string {
	return path + "[" + strconv.Itoa(index) + "]"
}

// nearestPosition returns the position of a path, of the nearest path above it that has one, or
// else that of the whole file.
func nearestPosition(at map[string]Pos, path string, whole Pos) Pos {
	for path != "" {
		if pos, ok := at[path]; ok {
			return pos
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return whole
}
