package arbitrary

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// scopes returns the scopes of what is said of each element of a list or each key of a map.
func (r *rule) scopes(c ast.CallExpr, s scope) []scope {
	args := c.Args()
	p := r.place(c.Target(), s)
	if p == nil || len(args) < 2 || args[0].Kind() != ast.IdentKind {
		return nil
	}
	name := args[0].AsIdent()
	var all []scope
	for i, at := range p.elements() {
		inner := s
		switch {
		case len(args) == 3 && args[1].Kind() == ast.IdentKind && c.FunctionName() != "map": // two variables
			inner = inner.with(args[1].AsIdent(), at)
			if at.index >= 0 {
				inner = inner.withValue(name, types.Int(i))
			} else {
				inner = inner.withValue(name, types.String(at.key))
			}
		case at.index >= 0:
			inner = inner.with(name, at)
		default:
			inner = inner.withValue(name, types.String(at.key))
		}
		all = append(all, inner)
	}
	return all
}

// quantifier repairs conditions on the elements of lists and maps.
type quantifier struct{ *repair }

// quantify makes a condition hold for all elements, for one or for none.
func (r quantifier) quantify(c ast.CallExpr, s scope, want bool) {
	condition := c.Args()[len(c.Args())-1]
	p := r.rule.place(c.Target(), s)
	switch {
	case p == nil:
	case c.FunctionName() == "all" && want:
		r.each(c, condition, s, true)
	case c.FunctionName() == "exists" && !want:
		r.each(c, condition, s, false)
	case c.FunctionName() == "all" || c.FunctionName() == "exists":
		r.one(c, condition, s, p, want)
	case want && !r.one(c, condition, s, p, true):
	case want:
		r.onlyOne(c, condition, s)
	default:
		balancer(r).countOneMore(c, condition, s, r.maker.chance(2))
	}
}

// each makes a condition hold for each element; where it cannot, the element is changed or goes.
func (r quantifier) each(c ast.CallExpr, condition ast.Expr, s scope, want bool) {
	for range 64 {
		p := r.rule.place(c.Target(), s)
		elements, all := p.elements(), r.rule.scopes(c, s)
		i := 0
		for i < len(all) && r.rule.holds(condition, all[i], want) {
			i++
		}
		if i == len(all) {
			return
		}
		if r.make(condition, all[i], want) {
			continue
		}
		if at := elements[i]; at.index >= 0 || !r.rename(p, at.key, c, condition, s, want) {
			at.drop()
		}
	}
}

// rename gives a value of a map another key, for which a condition holds.
func (r quantifier) rename(p *place, key string, c ast.CallExpr, condition ast.Expr, s scope, want bool) bool {
	fields, _ := valueOf(p).(map[string]any)
	if p.node.values == nil || p.node.fields[key] != nil {
		return false
	}
	v := fields[key]
	delete(fields, key)
	for _, name := range r.someTexts(p.node) {
		if isThereIn(fields, name) {
			continue
		}
		fields[name] = v
		inner := s.withValue(c.Args()[0].AsIdent(), types.String(name))
		if len(c.Args()) == 3 {
			inner = inner.with(c.Args()[1].AsIdent(), p.child(name))
		}
		if r.rule.holds(condition, inner, want) {
			return true
		}
		delete(fields, name)
	}
	fields[key] = v
	return false
}

// one makes a condition hold for an element, which is added where there is none.
func (r quantifier) one(c ast.CallExpr, condition ast.Expr, s scope, p *place, want bool) bool {
	all := r.rule.scopes(c, s)
	for _, inner := range all {
		if r.rule.holds(condition, inner, want) {
			return true
		}
	}
	if len(all) > 0 && !r.maker.chance(3) && r.make(condition, all[r.maker.random.IntN(len(all))], want) {
		return true
	}
	if !r.ensure(p) {
		return false
	}
	if p.node.items != nil {
		r.maker.appendItem(p)
	} else {
		r.maker.addAny(p)
	}
	all = r.rule.scopes(c, s)
	if len(all) == 0 {
		return false
	}
	if r.make(condition, all[len(all)-1], want) {
		return true
	}
	elements := r.rule.place(c.Target(), s).elements()
	last := elements[len(elements)-1]
	return last.index < 0 && r.rename(p, last.key, c, condition, s, want)
}

// onlyOne makes a condition not hold for all elements but one.
func (r quantifier) onlyOne(c ast.CallExpr, condition ast.Expr, s scope) {
	kept := false
	all := r.rule.scopes(c, s)
	for _, i := range r.maker.random.Perm(len(all)) {
		if !r.rule.holds(condition, all[i], true) {
			continue
		}
		if kept && !r.make(condition, all[i], false) {
			balancer(r).countOneMore(c, condition, s, false)
			return // the places are others now
		}
		kept = true
	}
}
