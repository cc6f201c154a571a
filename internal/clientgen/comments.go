package clientgen

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/packages"
)

// comments are the comments of source files by the line on which each ends.
type comments struct {
	fset *token.FileSet
	ends map[ending]comment
}

type ending struct {
	file string
	line int
}

type comment struct {
	begins int
	lines  []string
}

// commentsOf finds the comments of packages that were loaded together.
func commentsOf(authored map[string]*packages.Package) comments {
	c := comments{ends: map[ending]comment{}}
	for _, pkg := range authored {
		c.fset = pkg.Fset
		for _, file := range pkg.Syntax {
			for _, group := range file.Comments {
				end := c.fset.Position(group.End())
				c.ends[ending{end.Filename, end.Line}] = comment{c.fset.Position(group.Pos()).Line, linesOf(group.Text())}
			}
		}
	}
	return c
}

// above returns the doc comment that ends right above a declaration, and the second one above that,
// separated by an empty line. Generators read markers from both.
func (c comments) above(at token.Pos) (second, doc []string) {
	if c.fset == nil || !at.IsValid() {
		return nil, nil
	}
	position := c.fset.Position(at)
	begins := position.Line
	if closest, found := c.ends[ending{position.Filename, begins - 1}]; found {
		begins, doc = closest.begins, closest.lines
	}
	return c.ends[ending{position.Filename, begins - 2}].lines, doc
}

func linesOf(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
