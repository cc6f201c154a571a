package arbitrary

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// repair changes an object so that a rule holds: it follows the operators of the rule down to the
// fields that decide, by a random way where there are several.
type repair struct {
	maker mender
	rule  *rule
	scope scope // of the whole rule
	left  int   // how many more expressions are looked at
}

// make changes the object so that an expression is what it should be. It reports whether it now is.
func (r *repair) make(e ast.Expr, s scope, want bool) bool {
	if r.left--; r.left < 0 {
		return false
	}
	if r.rule.holds(e, s, want) {
		return true
	}
	if p := r.rule.place(e, s); p != nil { // a field that is true or false
		return r.put(p, want)
	}
	if e.Kind() != ast.CallKind {
		return false
	}
	if r.call(e.AsCall(), s, want); r.rule.holds(e, s, want) {
		return true
	}
	return r.try(e, s, want)
}

// call does what a function asks for.
func (r *repair) call(c ast.CallExpr, s scope, want bool) {
	args := c.Args()
	switch c.FunctionName() {
	case operators.LogicalNot:
		r.make(args[0], s, !want)
	case operators.LogicalAnd:
		r.both(args, s, want, true)
	case operators.LogicalOr:
		r.both(args, s, want, false)
	case operators.Conditional:
		r.conditional(args, s, want)
	case "has":
		r.presence(r.rule.place(args[0], s), want)
	case "hasValue":
		r.presence(r.rule.place(c.Target(), s), want)
	case operators.In, operators.OldIn:
		equalizer{r}.member(args[0], args[1], s, want)
	case operators.Equals, operators.NotEquals:
		equalizer{r}.equal(args[0], args[1], s, want == (c.FunctionName() == operators.Equals))
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		balancer{r}.compare(c.FunctionName(), args[0], args[1], s, want)
	case "all", "exists", "exists_one", "existsOne":
		quantifier{r}.quantify(c, s, want)
	case "matches", "startsWith", "endsWith", "contains":
		r.text(c, s, want)
	}
}

// both makes both sides so, where the operator asks for both, and otherwise one of them.
func (r *repair) both(sides []ast.Expr, s scope, want, and bool) {
	first := r.maker.random.IntN(2)
	if r.make(sides[first], s, want) && want != and {
		return // one is enough
	}
	r.make(sides[1-first], s, want)
}

// conditional makes what the condition chooses so, most often without a change of the condition.
func (r *repair) conditional(args []ast.Expr, s scope, want bool) {
	chosen := r.rule.holds(args[0], s, true)
	if r.maker.chance(3) {
		chosen = !chosen
	}
	for range 2 {
		branch := args[2]
		if chosen {
			branch = args[1]
		}
		if r.make(args[0], s, chosen) && r.make(branch, s, want) {
			return
		}
		chosen = !chosen
	}
}

// presence sets a field, or drops it, or what it is in.
func (r *repair) presence(p *place, want bool) {
	if p == nil {
		return
	}
	if want {
		r.ensure(p)
		return
	}
	for p.parent != nil && !p.optional() {
		p = p.parent
	}
	p.drop()
}

// place returns where the value of an expression is, nil when it is none of the object's.
func (r *rule) place(e ast.Expr, s scope) *place {
	switch e.Kind() {
	case ast.IdentKind:
		return s.places[e.AsIdent()]
	case ast.SelectKind:
		return placeBelow(r.place(e.AsSelect().Operand(), s), unescapeField(e.AsSelect().FieldName()))
	case ast.CallKind:
		return r.indexed(e.AsCall(), s)
	}
	return nil
}

func placeBelow(p *place, key string) *place {
	if p == nil {
		return nil
	}
	return p.child(key)
}

// indexed returns the place that an index or an optional field is.
func (r *rule) indexed(c ast.CallExpr, s scope) *place {
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
	case "orValue", "value", "or":
		return r.place(c.Target(), s)
	default:
		return nil
	}
	around := r.place(c.Args()[0], s)
	if around == nil {
		return nil
	}
	key, err := r.value(c.Args()[1], s)
	if err != nil {
		return nil
	}
	switch key := key.(type) {
	case types.String:
		name := string(key)
		if c.FunctionName() == operators.OptSelect {
			name = unescapeField(name)
		}
		return around.child(name)
	case types.Int:
		if around.node.items != nil && key >= 0 && key < 64 {
			return around.item(int(key))
		}
	}
	return nil
}

// ensure makes a value where there is none, and what it is in.
func (r *repair) ensure(p *place) bool {
	if v, there := p.get(); there && v != nil {
		return true
	}
	if p.parent == nil || !r.ensure(p.parent) {
		return false
	}
	for p.index >= 0 && len(p.parent.elements()) <= p.index {
		if r.maker.appendItem(p.parent) == nil {
			return false
		}
	}
	if v, there := p.get(); there && v != nil {
		return true // it came with what it is in
	}
	for range 4 { // null may be one of its values
		if v, ok := r.maker.value(p.node, nil, r.maker.random.IntN(4)); ok && v != nil {
			return p.set(v)
		}
	}
	return false
}

// put sets a value that its own keywords allow.
func (r *repair) put(p *place, v any) bool {
	if !r.fits(p, v) {
		return false
	}
	if p.parent != nil && !r.ensure(p.parent) {
		return false
	}
	for p.index >= 0 && len(p.parent.elements()) <= p.index {
		if r.maker.appendItem(p.parent) == nil {
			return false
		}
	}
	return p.set(v)
}

func (r *repair) fits(p *place, v any) bool { return v != nil && r.maker.holds(p.node.own, v) }
