package arbitrary

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/runtime"
)

// try sets values at the places that an expression names until it is what it should be.
func (r *repair) try(e ast.Expr, s scope, want bool) bool {
	places := r.rule.places(e, s)
	r.maker.random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, p := range places[:min(len(places), 6)] {
		if p.parent == nil && p.node.schema.Type == "object" {
			continue
		}
		undo := undoFunc(p)
		for _, v := range r.candidates(p, e) {
			if r.put(p, v) && r.rule.holds(e, s, want) {
				return true
			}
			undo()
		}
		if p.parent != nil && p.optional() {
			if p.drop(); r.rule.holds(e, s, want) {
				return true
			}
			undo()
		}
	}
	return false
}

// candidates returns values to try: those in the rule, those of its own schema, and what is usual
// for its type.
func (r *repair) candidates(p *place, e ast.Expr) []any {
	var all []any
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.LiteralKind:
			all = append(all, jsonValue(e.AsLiteral()))
		case ast.ListKind:
			if v, err := r.rule.value(e, scope{}); err == nil {
				all = append(all, jsonValue(v))
			}
		}
	}))
	if _, isText := valueOf(p).(string); isText || p.node.schema.Type == "string" || p.node.schema.XIntOrString {
		for _, text := range r.someTexts(p.node) {
			all = append(all, text)
		}
	}
	for _, q := range r.rule.places(r.rule.expr, r.scope) {
		if text, isText := valueOf(q).(string); isText {
			all = append(all, text, strings.ToUpper(text), strings.ToLower(text))
		}
	}
	if p.node.schema.Type == "integer" || p.node.schema.Type == "number" {
		for _, n := range slices.Clone(all) {
			if n, isInt := n.(int64); isInt {
				all = append(all, n+1, n-1)
			}
		}
	}
	for range 12 {
		if v, ok := r.maker.renewed(p); ok {
			all = append(all, v)
		}
	}
	for i := range all {
		all[i] = runtime.DeepCopyJSONValue(all[i])
	}
	return all
}

// someTexts returns texts of many kinds, those of the rules that see a node first.
func (r *repair) someTexts(n *node) []string {
	all := slices.Clone(n.literals)
	ast.PreOrderVisit(r.rule.expr, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.LiteralKind {
			if text, isText := e.AsLiteral().(types.String); isText {
				all = append(all, string(text))
				if composed, ok := r.maker.composeText([]demand{{pattern: string(text), want: true, most: 60}}); ok {
					all = append(all, composed)
				}
			}
		}
	}))
	for _, text := range slices.Clone(all) {
		all = append(all, text+"a", "a"+text, text+"/a", "a."+text)
	}
	all = append(all, plainTexts...)
	for _, format := range sortedKeys(formats) {
		all = append(all, formats[format]...)
	}
	return all
}

// places returns the places that an expression names, also those of elements that something is said
// of.
func (r *rule) places(e ast.Expr, s scope) []*place {
	if p := r.place(e, s); p != nil {
		return []*place{p}
	}
	var all []*place
	switch e.Kind() {
	case ast.SelectKind:
		return r.places(e.AsSelect().Operand(), s)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			all = append(all, r.places(element, s)...)
		}
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			all = append(all, r.places(c.Target(), s)...)
		}
		inner := r.scopes(c, s)
		if len(inner) == 0 {
			inner = []scope{s}
		}
		for _, arg := range c.Args() {
			for _, s := range inner[:min(len(inner), 4)] {
				all = append(all, r.places(arg, s)...)
			}
		}
	}
	return all
}
