package yamltext

import (
	"strings"
	"unicode/utf8"
)

// maxSimpleKey is the length in bytes up to which a key stands before its colon.
const maxSimpleKey = 128

// place is where a value stands.
type place int

const (
	atStart   place = iota // of the text
	afterKey               // behind the colon of a key: what has lines starts on the next one
	afterDash              // behind a dash: what has lines starts on the same one
)

// writer collects the text. Every value ends its line.
type writer struct {
	out  []byte
	line int // where in out the last line starts
}

func (w *writer) write(text string) { w.out = append(w.out, text...) }

func (w *writer) newline(indent int) {
	w.out = append(w.out, '\n')
	w.line = len(w.out)
	w.indent(indent)
}

// blanks is what indentations are taken from.
var blanks = strings.Repeat(" ", 64)

func (w *writer) indent(columns int) {
	for ; columns > len(blanks); columns -= len(blanks) {
		w.write(blanks)
	}
	w.write(blanks[:columns])
}

// column returns how many characters the last line has.
func (w *writer) column() int { return utf8.RuneCount(w.out[w.line:]) }

// word writes a value that has no spaces and needs no quotes.
func (w *writer) word(text string, at place) {
	if at != atStart {
		w.out = append(w.out, ' ')
	}
	w.write(text)
	w.newline(0)
}

// block is a mapping or a list that is being written: nothing is before it has an element.
type block struct {
	*writer
	indent int // the column of its keys or dashes
	at     place
	empty  string // what is written when it has no element
	open   bool
}

// mapping begins a mapping. The indent is that of what it is the value of.
func (w *writer) mapping(indent int, at place) block {
	if at != atStart {
		indent += 2
	}
	return block{writer: w, indent: indent, at: at, empty: "{}"}
}

// list begins a list: below a key, its dashes are not indented.
func (w *writer) list(indent int, at place) block {
	if at == afterDash {
		indent += 2
	}
	return block{writer: w, indent: indent, at: at, empty: "[]"}
}

// next goes to where the next key or dash stands.
func (b *block) next() {
	switch {
	case b.open:
		b.writer.indent(b.indent)
	case b.at == afterKey:
		b.newline(b.indent)
	case b.at == afterDash:
		b.write(" ")
	}
	b.open = true
}

// key writes a key, and returns where its value stands.
func (b *block) key(name string) place {
	b.next()
	name = valid(name)
	if len(name) > maxSimpleKey || strings.ContainsAny(name, "\r\n\u0085") {
		b.write("?")
		b.text(name, b.indent, afterDash)
		b.writer.indent(b.indent)
		b.write(":")
		return afterDash
	}
	b.simpleKey(name)
	return afterKey
}

// dash writes the dash of an element.
func (b *block) dash() {
	b.next()
	b.write("-")
}

func (b *block) end() {
	if !b.open {
		b.word(b.empty, b.at)
	}
}
