package usertemplates

import (
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// builtins are the functions of text/template itself.
var builtins = strings.Fields("and call eq ge gt html index js le len lt ne not or print printf println slice urlquery")

// ownNames are the functions that only templates of an author have.
var ownNames = []string{"include"}

// reference is a place that names a template.
type reference struct {
	name string
	pos  spec.Pos
}

// checkCalls returns the calls in a tree of functions that templates cannot call. It notes the
// templates that the tree names.
func (s *Set) checkCalls(tree *parse.Tree, t text) spec.Problems {
	var problems spec.Problems
	known := slices.Concat(allowedNames(), builtins, ownNames)
	eachNode(tree.Root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.IdentifierNode:
			if !slices.Contains(known, n.Ident) {
				message, hint := explainFunction(n.Ident, known)
				problems = append(problems, s.problemAt(t, int(n.Pos), message, hint))
			}
		case *parse.TemplateNode:
			s.included = append(s.included, reference{n.Name, t.position(s.source, int(n.Pos))})
		case *parse.CommandNode:
			if name := includedBy(n); name != nil {
				s.included = append(s.included, reference{name.Text, t.position(s.source, int(name.Pos))})
			}
		}
	})
	return problems
}

// includedBy returns the name that a command gives to include, nil for other commands and for names
// that are computed.
func includedBy(command *parse.CommandNode) *parse.StringNode {
	if len(command.Args) < 2 {
		return nil
	}
	function, isFunction := command.Args[0].(*parse.IdentifierNode)
	name, isText := command.Args[1].(*parse.StringNode)
	if !isFunction || !isText || function.Ident != "include" {
		return nil
	}
	return name
}

// explainFunction says why templates cannot call a function.
func explainFunction(name string, known []string) (message, hint string) {
	if reason := refusalReason(name); reason != "" {
		hint = "templates cannot call it, since equal inputs give equal files"
		if plain, ofSystem := strings.CutPrefix(name, "os"); ofSystem {
			hint = "call " + strings.ToLower(plain[:1]) + plain[1:]
		}
		return name + " " + reason, hint
	}
	hint = "docs/templates.md lists the functions"
	if close := nearest.Name(name, known); close != "" {
		hint = "did you mean " + close + "?"
	}
	return "there is no function " + name, hint
}

// checkReferences returns the places that name a template which no file of the folder defines.
func (s *Set) checkReferences() spec.Problems {
	var problems spec.Problems
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.defined)) {
		if _, isText := s.texts[name]; !isText {
			names = append(names, name)
		}
	}
	for _, r := range s.included {
		if _, known := s.defined[r.name]; known {
			continue
		}
		hint := "define it in a file whose name begins with _, such as _shared.tmpl"
		if close := nearest.Name(r.name, names); close != "" {
			hint = "did you mean " + close + "?"
		}
		problems = append(problems, spec.Problem{Pos: r.pos, Message: `no template "` + r.name + `" is defined`, Hint: hint})
	}
	return problems
}

// problemAt returns a problem at an offset of a text.
func (s *Set) problemAt(t text, offset int, message, hint string) spec.Problem {
	if t.isPath {
		message = "its path: " + message
	}
	return spec.Problem{Pos: t.position(s.source, offset), Message: message, Hint: hint}
}
