package importer

import (
	"strings"
	"text/template/parse"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// What templates have in the place of values. Texts of a CRD, such as descriptions, may have the same characters.
var (
	action      = lazyregexp.New(`\{\{|\{%`)
	bareAction  = lazyregexp.New(`(^|: |- )\s*(\{\{|\{%)`) // without quotes, so that it is no YAML
	helmObject  = lazyregexp.New(`\{\{-?[^}]*(\.(Values|Release|Chart|Capabilities|Template|Files)\b|\b(include|template|tpl) +")`)
	helmControl = lazyregexp.New(`\{\{-? *(if|else|end|with|range|define|include|template)\b`)
	variable    = lazyregexp.New(`\$\{[A-Za-z_][^}]*\}|\$\([A-Za-z_][A-Za-z0-9_]*\)`)
)

// freeTexts are the keys of a schema and of a version whose values are texts for people, patterns and rules, in which braces
// are braces.
var freeTexts = map[string]bool{
	"description": true, "title": true, "pattern": true, "format": true, "example": true, "externalDocs": true, "x-kubernetes-validations": true,
	"additionalPrinterColumns": true, "jsonPath": true,
}

// data are the keys whose values are data, in which braces are braces. Those that are a template with an object of Helm are
// warned of.
var data = map[string]bool{"default": true, "enum": true, "annotations": true, "deprecationWarning": true}

// mayBeTemplate reports whether a text has what only templates need to be looked for.
func mayBeTemplate(text string) bool {
	for _, part := range []string{"{{", "{%", "#@", "${", "$("} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// findTemplate returns the problem of a document with CRDs that are a template: the first place with an action. It returns
// nil without one. What is beside the CRDs may be anything.
func findTemplate(file string, doc *yaml.Node) *spec.Problem {
	f := templateFinder{file: file}
	if len(doc.Content) > 0 {
		f.searchCRDs(doc.Content[0], false)
	}
	return f.found
}

// searchCRDs looks for actions in a CRD or in those of a list. isCRD is true for an item of a list of CRDs alone.
func (f *templateFinder) searchCRDs(n *yaml.Node, isCRD bool) {
	switch kind := scalarText(lookupPath(n, "kind")); {
	case kind == "CustomResourceDefinition" || isCRD && kind == "":
		f.searchIn(n, "", false)
	case kind == "List" || kind == "CustomResourceDefinitionList":
		for _, item := range itemsOf(lookupPath(n, "items")) {
			f.searchCRDs(item, kind != "List")
		}
	}
}

// suspectTexts returns warnings of texts of a CRD that look like actions of Helm where texts may have braces.
func suspectTexts(file string, crd *yaml.Node) spec.Problems {
	f := templateFinder{file: file}
	f.searchIn(crd, "", false)
	return f.texts
}

// templateFinder looks for the first action in a CRD.
type templateFinder struct {
	file  string
	found *spec.Problem // the first action
	texts spec.Problems // what looks like one, and may be text
}

// searchIn looks for actions in a value and in what is below it. isData is true for data, of which key is the nearest key.
func (f *templateFinder) searchIn(n *yaml.Node, key string, isData bool) {
	f.checkComments(n)
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entriesOf(n) {
			f.checkComments(e.key)
			if e.key.Kind != yaml.ScalarNode { // {{ .Values.x }} without quotes is a mapping of a mapping
				f.report(e.key, "{{ }}", true)
			} else if key != "properties" && !isData {
				f.checkText(e.key, false)
			}
			if !freeTexts[e.key.Value] || key == "properties" {
				f.searchIn(e.value, e.key.Value, (isData || data[e.key.Value]) && key != "properties")
			}
		}
	case yaml.SequenceNode:
		for _, item := range itemsOf(n) {
			f.searchIn(item, key, isData)
		}
	case yaml.ScalarNode:
		f.checkText(n, isData && !isInjector(key))
	}
}

// checkText looks for an action in a text.
func (f *templateFinder) checkText(n *yaml.Node, isData bool) {
	isHelm := helmObject().MatchString(n.Value)
	switch {
	case isData && isHelm && isTemplate(n.Value):
		f.texts = append(f.texts, spec.Problem{
			Pos: spec.Pos{File: f.file, Line: n.Line, Column: n.Column}, Message: "looks like an action of Helm, and is taken for text: " + shorten(n.Value),
			Hint: "if the file is a template, " + renderHelm,
		})
	case !isData && action().MatchString(n.Value):
		f.report(n, n.Value, isHelm || helmControl().MatchString(n.Value))
	case !isData && variable().MatchString(n.Value):
		f.add(n, "has the variable "+variable().FindString(n.Value), "substitute it first, with envsubst or kustomize build, and import the result")
	}
}

// isTemplate reports whether a text is a template. One with {{ end }} alone is none, for example.
func isTemplate(text string) bool {
	t := parse.New("")
	t.Mode = parse.SkipFuncCheck
	_, err := t.Parse(text, "", "", map[string]*parse.Tree{})
	return err == nil
}

// checkComments looks for directives in the comments of a node: those of ytt, and those of Helm that are commented out for
// other readers of the file.
func (f *templateFinder) checkComments(n *yaml.Node) {
	for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		switch {
		case helmControl().MatchString(comment) && helmObject().MatchString(comment):
			f.report(n, comment, true)
		case strings.HasPrefix(comment, "#@") || strings.Contains(comment, "\n#@"):
			f.add(n, "has directives of ytt in comments", "render it first, and import what this prints: ytt -f FILE")
		}
	}
}

// report adds a problem about an action of Helm or of another tool.
func (f *templateFinder) report(n *yaml.Node, text string, isHelm bool) {
	problem := actionProblem(spec.Pos{File: f.file, Line: n.Line, Column: n.Column}, text, isHelm)
	f.add(n, problem.Message, problem.Hint)
}

func (f *templateFinder) add(n *yaml.Node, message, hint string) {
	if f.found == nil {
		f.found = &spec.Problem{Pos: spec.Pos{File: f.file, Line: n.Line, Column: n.Column}, Message: message, Hint: hint}
	}
}

// actionProblem says that a file has actions, and what to do.
func actionProblem(pos spec.Pos, text string, isHelm bool) spec.Problem {
	if isHelm {
		return spec.Problem{Pos: pos, Message: "has actions of Helm, such as " + shorten(text), Hint: renderHelm}
	}
	return spec.Problem{Pos: pos, Message: "has actions of a template, such as " + shorten(text), Hint: "render it first, and import the result"}
}

// renderHelm is what to do with a template of Helm.
const renderHelm = "render it first, and import what this prints: helm template CHART --include-crds"

// shorten returns a text for a message.
func shorten(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 80 || strings.Contains(text, "\n") {
		return action().FindString(text) + " …"
	}
	return text
}

// syntaxProblem returns the problem of a file that is not YAML, also if it is none because it is a template.
func syntaxProblem(file string, data []byte, err error) spec.Problem {
	problem := spec.SyntaxProblem(file, data, err)
	lines := strings.Split(string(data), "\n")
	if at := problem.Pos.Line; at >= 1 && at <= len(lines) && bareAction().MatchString(lines[at-1]) {
		line := lines[at-1]
		pos := spec.Pos{File: file, Line: at, Column: 1 + strings.Index(line, action().FindString(line))}
		return actionProblem(pos, line, helmControl().MatchString(line) || helmObject().MatchString(line))
	}
	return problem
}

// isInjector reports whether the value of an annotation names a certificate, in which no brace and no dollar can be.
func isInjector(key string) bool { return strings.HasPrefix(key, "cert-manager.io/inject-") }
