package spec

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pos is a position in a spec file. Line and Column count from 1; Line 0 means the whole file.
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

// Expression is text in another language, such as a CEL rule, with its position.
type Expression struct {
	Pos  Pos
	Text string
	// Columns are those of each byte of Text and of its end, as far as they are on the line of Pos.
	Columns []int
}

// At returns the position of a byte of the text, or that of the text if the byte is on another
// line.
func (e Expression) At(offset int) Pos {
	pos := e.Pos
	if offset >= 0 && offset < len(e.Columns) {
		pos.Column = e.Columns[offset]
	}
	return pos
}

// recordPositions records the positions of n and of everything below it, by path.
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

// joinPath appends a key to a path, with quotes if the key is not a plain word:
// metadata.labels["app.kubernetes.io/name"].
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

// nearestPosition returns the position of a path, or of the closest path above it with a position,
// or else that of the whole file.
func nearestPosition(at map[string]Pos, path string, whole Pos) Pos {
	for path != "" {
		if pos, ok := at[path]; ok {
			return pos
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return whole
}
