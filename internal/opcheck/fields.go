package opcheck

import (
	"maps"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// fieldChecker checks that a rule reads only fields that the child has. The compiler of CEL does
// not: the operator compiles the rule with a child of any type, and so does opgen.
type fieldChecker struct {
	*ruleChecker
	info *ast.SourceInfo
}

// scope has the schemas of variables. A variable whose schema is not known is absent.
type scope map[string]*schema

// visit checks an expression and returns the schema of its value, nil if that is not known.
func (f fieldChecker) visit(e ast.Expr, known scope) *schema {
	switch e.Kind() {
	case ast.IdentKind:
		return known[e.AsIdent()]
	case ast.SelectKind:
		selected := e.AsSelect()
		return f.selectField(e, f.visit(selected.Operand(), known), selected.FieldName())
	case ast.CallKind:
		return f.visitCall(e, known)
	case ast.ComprehensionKind:
		f.visitComprehension(e.AsComprehension(), known)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			f.visit(element, known)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			f.visit(entry.AsMapEntry().Key(), known)
			f.visit(entry.AsMapEntry().Value(), known)
		}
	}
	return nil
}

// selectField returns the schema of a field, and reports a field that does not exist.
func (f fieldChecker) selectField(e ast.Expr, s *schema, name string) *schema {
	next, message, hint := fieldSchema(s, name)
	if message != "" {
		f.reportAtOffset(f.offsetOf(e), message, hint)
	}
	return next
}

// offsetOf returns the offset of a field's name, which follows the dot that CEL gives as the
// position.
func (f fieldChecker) offsetOf(e ast.Expr) int {
	place, ok := f.info.GetOffsetRange(e.ID())
	if !ok {
		return 0
	}
	text, at := []rune(f.rule.Text), int(place.Start)
	for at < len(text) && (text[at] == '.' || text[at] == '?') {
		at++
	}
	return at
}

func (f fieldChecker) visitCall(e ast.Expr, known scope) *schema {
	call := e.AsCall()
	var first *schema
	if call.IsMemberFunction() {
		f.visit(call.Target(), known)
	}
	for i, argument := range call.Args() {
		s := f.visit(argument, known)
		if i == 0 {
			first = s
		}
	}
	if len(call.Args()) != 2 || call.IsMemberFunction() {
		return nil
	}
	name, literal := literalText(call.Args()[1])
	switch call.FunctionName() {
	case operators.OptSelect:
		return f.selectField(e, first, name)
	case operators.Index, operators.OptIndex:
		if literal && first != nil && first.Type == "object" {
			return f.selectField(call.Args()[1], first, name)
		}
		if first != nil && first.Type == "array" {
			return itemSchema(first)
		}
		return valueSchema(first)
	}
	return nil
}

// visitComprehension checks a macro such as exists, whose variables are the items of a list or the
// keys of a map.
func (f fieldChecker) visitComprehension(c ast.ComprehensionExpr, known scope) {
	over := f.visit(c.IterRange(), known)
	inner := maps.Clone(known)
	inner[c.AccuVar()], inner[c.IterVar()] = nil, itemSchema(over)
	if c.HasIterVar2() {
		inner[c.IterVar()], inner[c.IterVar2()] = nil, itemSchema(over)
		if over != nil && over.Type == "object" {
			inner[c.IterVar2()] = valueSchema(over)
		}
	}
	f.visit(c.AccuInit(), known)
	for _, e := range []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
		f.visit(e, inner)
	}
}

// literalText returns the value of a string literal, and whether the expression is one.
func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	value, ok := e.AsLiteral().Value().(string)
	return value, ok
}
