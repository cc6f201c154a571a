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

// ownFunctionNames are the functions that sprig does not have and opgen adds.
var ownFunctionNames = []string{"include"}

// reference is a use of a template by name.
type reference struct {
	name string
	pos  spec.Pos
}

// checkCalls returns a problem for each call of a function that templates cannot call. It also
// collects the templates that the tree names.
func (s *Set) checkCalls(tree *parse.Tree, t text) spec.Problems {
	var problems spec.Problems
	known := slices.Concat(allowedNames(), builtins, ownFunctionNames)
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

// includedBy returns the name in a call of include. It returns nil for other commands and for
// computed names, which are only known at run time.
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

// explainFunction returns why templates cannot call a function, and what to do instead.
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

// checkReferences returns a problem for each use of a template that no file of the folder defines.
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
