package spec

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
