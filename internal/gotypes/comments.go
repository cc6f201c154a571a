package gotypes

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// comment is one line of a comment that is a marker: its text from the plus sign on.
type comment struct {
	at   token.Pos
	text string
}

// commentsBetween returns the markers between a position and a node that controller-tools takes for
// markers of the node.
func commentsBetween(pkg *loader.Package, from token.Pos, node ast.Node) []comment {
	for _, file := range pkg.Syntax {
		if file.FileStart <= from && from <= file.FileEnd {
			return commentsIn(file, from, node.Pos())
		}
	}
	return nil
}

// commentsOfType returns the markers of a type's declaration.
func commentsOfType(info *markers.TypeInfo) []comment {
	from := info.RawFile.Name.End()
	for _, decl := range info.RawFile.Decls {
		if decl.End() < info.RawSpec.Pos() {
			from = max(from, decl.End())
		}
	}
	return commentsIn(info.RawFile, from, info.RawSpec.Pos())
}

func commentsIn(file *ast.File, from, to token.Pos) []comment {
	var found []comment
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if c.Pos() > from && c.End() <= to && strings.HasPrefix(text, "+") {
				found = append(found, comment{c.Pos() + token.Pos(strings.Index(c.Text, "+")), text})
			}
		}
	}
	return found
}

// lastWord returns the last part of a marker's name, such as Minimum.
func (c comment) lastWord() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(c.text, "+"), "=")
	if strings.Contains(name, "XValidation:") {
		return "XValidation"
	}
	name = strings.TrimSuffix(name, ":") // as in Enum:=A;B
	return name[strings.LastIndex(name, ":")+1:]
}

// keywordOf has the keywords that are named differently than their markers.
var keywordOf = map[string]string{
	"listtype": "x-kubernetes-list-type", "listmapkey": "x-kubernetes-list-map-keys",
	"maptype": "x-kubernetes-map-type", "structtype": "x-kubernetes-map-type",
	"preserveunknownfields":        "x-kubernetes-preserve-unknown-fields",
	"pruningpreserveunknownfields": "x-kubernetes-preserve-unknown-fields",
	"embeddedresource":             "x-kubernetes-embedded-resource", "xembeddedresource": "x-kubernetes-embedded-resource",
	"xintorstring": "x-kubernetes-int-or-string",
}

// setKeywordPositions sets the positions of the keywords that markers define. If several markers
// define one, the first counts: a field's marker precedes that of its type.
func (p *program) setKeywordPositions(s *spec.Schema, all []comment) {
	set := func(keyword string, at token.Pos) {
		if _, known := s.At[keyword]; !known {
			s.At[keyword] = p.positions.position(at)
		}
	}
	for _, c := range all {
		word := c.lastWord()
		if keyword, found := keywordOf[strings.ToLower(word)]; found {
			set(keyword, c.at)
			continue
		}
		if word == "XValidation" {
			for i, rule := range s.Keywords.XValidations {
				if strings.Contains(c.text, strconv.Quote(rule.Rule)) || strings.Contains(c.text, "`"+rule.Rule+"`") {
					set("x-kubernetes-validations["+strconv.Itoa(i)+"]", c.at)
				}
			}
			continue
		}
		if word != "" {
			set(strings.ToLower(word[:1])+word[1:], c.at)
		}
	}
}

// clientMarkers returns the markers of the kind that the generators of typed clients read.
func (k *kindReader) clientMarkers() []spec.GoMarker {
	var found []spec.GoMarker
	for _, c := range commentsOfType(k.info) {
		if spec.IsClientMarker(c.text) {
			found = append(found, spec.GoMarker{Pos: k.program.positions.position(c.at), Text: c.text})
		}
	}
	return found
}

// markerPos returns the position of a marker of the kind, or of the kind itself if it has no such
// marker.
func (k *kindReader) markerPos(name string) spec.Pos {
	for _, c := range commentsOfType(k.info) {
		if strings.HasPrefix(c.text, "+kubebuilder:"+name) {
			return k.program.positions.position(c.at)
		}
	}
	return k.program.positions.ofNode(k.info.RawSpec)
}
