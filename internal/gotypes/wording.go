package gotypes

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// misapplied matches controller-tools' message about a marker that does not fit the type below it.
var misapplied = lazyregexp.New(`^must apply (\S+) to (an? .*?)(?:, found(?: type)? ?"?(\w*)"?)?$`)

// typeDoesNotFit ends messages about a marker that does not fit the type below it.
const typeDoesNotFit = ", which the type is not"

// mentioned matches the marker that a message of controller-tools names.
var mentioned = lazyregexp.New(`(?:kubebuilder:validation:\w+|k8s:\w+)`)

// otherMessages has parts of messages of controller-tools, with what is said instead. An empty message
// stays as it is.
var otherMessages = []struct{ part, message, hint string }{
	{"no enum values found", "there are no constants of the type in its package", "declare some, or list the values: // +kubebuilder:validation:Enum=a;b"},
	{"enum type must be a string", "the type is no string", "list the values: // +kubebuilder:validation:Enum=1;2"},
	{"k8s:enum must be set on a type", "stands above a field, and reads the constants of a type", "write it above the declaration of the type"},
	{"cannot reference nested fields", "names a field of another type", "name fields of this type only, or write a rule: // +kubebuilder:validation:XValidation:rule="},
	{"implements encoding.TextMarshaler but schema type", "the type is text, by its method MarshalText, and the marker says otherwise", "leave the marker out, or write Type=string"},
	{"without JSON tag", "a field has no JSON name", "add a JSON tag to it"},
	{"is part of OneOf constraint", "names a field that is required", "mark the field +optional, or give its tag omitempty"},
}

// rewordError returns an error of a package in the words of its author: about the marker, at its
// position, if it is about one.
func (p *program) rewordError(err packages.Error) spec.Problem {
	problem := spec.Problem{Pos: p.positions.parse(err.Pos), Message: firstLine(err.Msg)}
	near := p.commentsNear(problem.Pos)
	at := func(c comment, message, hint string) spec.Problem {
		name, _, _ := strings.Cut(c.text, "=")
		return spec.Problem{Pos: p.positions.position(c.at), Message: strings.TrimSuffix(name, ":") + ": " + message, Hint: hint}
	}
	for _, c := range near {
		if definition, parseErr := p.parseMarker(c.text); parseErr != nil {
			message, hint := gomarkers.Explain(definition, c.text, parseErr)
			return at(c, message, hint)
		}
	}
	if match := misapplied().FindStringSubmatch(problem.Message); match != nil {
		said := "must apply to " + match[2] + typeDoesNotFit
		for _, c := range near {
			if c.isNamed(match[1]) {
				return at(c, said, "leave the marker out, or change the type")
			}
		}
		problem.Message, problem.Hint = match[1]+" "+said, "leave the marker out, or change the type"
		return problem
	}
	for _, other := range otherMessages {
		if !strings.Contains(problem.Message, other.part) {
			continue
		}
		for _, c := range near {
			if name := mentioned().FindString(problem.Message); name != "" && c.isNamed(name) || name == "" && (c.isNamed("k8s:enum") || c.isNamed("Type") || strings.HasSuffix(c.lastWord(), "OneOf")) {
				return at(c, other.message, other.hint)
			}
		}
		problem.Message, problem.Hint = problem.Message+": "+other.message, other.hint
	}
	return problem
}

// isNamed reports whether a marker has a name in a message of controller-tools, which is in small
// letters, without the prefix, and without the s of some.
func (c comment) isNamed(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, ":")+1:])
	return strings.HasPrefix(strings.ToLower(c.lastWord()), name)
}

// parseMarker parses a marker as it would be above a field or a type. It returns no error for one that
// is not known.
func (p *program) parseMarker(text string) (*markers.Definition, error) {
	for _, target := range []markers.TargetType{markers.DescribesField, markers.DescribesType, markers.DescribesPackage} {
		if definition := p.registry.Lookup(text, target); definition != nil {
			_, err := definition.Parse(text)
			return definition, err
		}
	}
	return nil, nil
}

// commentsNear returns the marker in a line of a file, or those in the lines of comments above it.
func (p *program) commentsNear(pos spec.Pos) (near []comment) {
	p.roots.eachPackage(func(pkg *packages.Package) {
		for _, file := range pkg.Syntax {
			if near == nil && p.positions.ofNode(file).File == pos.File {
				near = p.commentsAt(file, pos.Line)
			}
		}
	})
	return near
}

func (p *program) commentsAt(file *ast.File, line int) []comment {
	lines := map[int]comment{}
	isComment := map[int]bool{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			isComment[p.positions.ofNode(c).Line] = true
		}
	}
	for _, c := range commentsIn(file, file.FileStart, file.FileEnd) {
		lines[p.positions.position(c.at).Line] = c
	}
	if c, found := lines[line]; found {
		return []comment{c}
	}
	var above []comment
	for line--; isComment[line] || isComment[line-1]; line-- { // one line without a comment may separate the markers
		if c, found := lines[line]; found {
			above = append(above, c)
		}
	}
	return above
}
