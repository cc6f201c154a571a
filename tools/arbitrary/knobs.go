package arbitrary

import (
	"math"
	"strings"
	"time"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apimachinery/pkg/runtime"
)

// knob is something that can be turned up and down: a number, a size, whether a condition holds.
type knob struct {
	step float64
	move func(by float64) bool
	undo func()
}

// knobs returns what can be turned in an expression.
func (r balancer) knobs(e ast.Expr, s scope) []*knob {
	var all []*knob
	if p := r.rule.place(e, s); p != nil {
		if k := r.scalarKnob(p); k != nil {
			all = append(all, k)
		}
		return all
	}
	if e.Kind() != ast.CallKind {
		return nil
	}
	c := e.AsCall()
	args := c.Args()
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	switch c.FunctionName() {
	case "size":
		if p := r.rule.place(args[0], s); p != nil {
			return append(all, r.sizeKnob(p))
		}
		if args[0].Kind() == ast.CallKind && args[0].AsCall().FunctionName() == "filter" {
			return append(all, r.countKnob(args[0].AsCall(), s))
		}
	case operators.Conditional:
		all = append(all, r.conditionKnob(args[0], s))
	case "map", "filter", "all", "exists", "exists_one":
		return append(all, r.elementKnobs(c, s)...)
	}
	for _, arg := range args {
		all = append(all, r.knobs(arg, s)...)
	}
	return all
}

// elementKnobs returns the knobs of what is said of each element.
func (r balancer) elementKnobs(c ast.CallExpr, s scope) []*knob {
	var all []*knob
	for _, inner := range r.rule.scopes(c, s) {
		all = append(all, r.knobs(c.Args()[len(c.Args())-1], inner)...)
	}
	if p := r.rule.place(c.Target(), s); p != nil {
		all = append(all, r.sizeKnob(p))
	}
	return all
}

// undoFunc returns what puts back the value of a place as it is now.
func undoFunc(p *place) func() {
	before, there := p.get()
	kept := runtime.DeepCopyJSONValue(before)
	return func() {
		if there {
			p.set(runtime.DeepCopyJSONValue(kept))
		} else {
			p.drop()
		}
	}
}

// scalarKnob turns a number, and a text that is a duration.
func (r balancer) scalarKnob(p *place) *knob {
	if !isThere(p) {
		return nil
	}
	k := &knob{step: 1, undo: undoFunc(p)}
	switch begun := valueOf(p).(type) {
	case int64:
		if m := p.node.schema.MultipleOf; m != nil && *m >= 1 {
			k.step = *m
		}
		k.move = func(by float64) bool {
			by = k.step * math.Round(by/k.step)
			return math.Abs(by) < 1<<53 && r.put(p, begun+int64(by))
		}
	case float64:
		k.move = func(by float64) bool { return r.put(p, begun+by) }
	case string:
		duration, err := time.ParseDuration(begun)
		if err != nil {
			return nil
		}
		k.move = func(by float64) bool {
			return math.Abs(by) < 1e9 && r.put(p, (duration+time.Duration(by*float64(time.Second))).String())
		}
	default:
		return nil
	}
	return k
}

// sizeKnob turns how long a text, a list or a map is.
func (r balancer) sizeKnob(p *place) *knob {
	k := &knob{step: 1, undo: undoFunc(p)}
	k.move = func(by float64) bool { return r.ensure(p) && r.resize(p, int(math.Round(by))) }
	return k
}

// resize makes a value longer or shorter.
func (r balancer) resize(p *place, by int) bool {
	switch v := valueOf(p).(type) {
	case string:
		size := len([]rune(v)) + by
		if size < 0 || size > r.maker.longestText {
			return false
		}
		if len(p.node.demands) > 0 && r.maker.chance(2) && r.compose(p, demand{least: size, most: size}) {
			return true
		}
		if by < 0 && r.put(p, string([]rune(v)[:size])) || by > 0 && r.put(p, v+strings.Repeat("a", by)) {
			return true
		}
		return r.compose(p, demand{least: size, most: size})
	case []any:
		if len(v)+by < 0 || by > 64 {
			return false
		}
		if by <= 0 {
			return p.set(v[:len(v)+by])
		}
		for range by {
			if r.maker.appendItem(p) == nil {
				return false
			}
		}
		return true
	case map[string]any:
		if by > 64 {
			return false
		}
		for range max(by, -by) {
			if by > 0 {
				r.maker.addAny(p)
			} else {
				r.maker.dropAny(p, v)
			}
		}
		return true
	}
	return false
}

// countKnob turns for how many elements a condition holds.
func (r balancer) countKnob(c ast.CallExpr, s scope) *knob {
	p := r.rule.place(c.Target(), s)
	k := &knob{step: 1, move: func(float64) bool { return false }, undo: func() {}}
	if p == nil {
		return k
	}
	k.undo = undoFunc(p)
	condition := c.Args()[len(c.Args())-1]
	k.move = func(by float64) bool {
		moved := false
		for range int(min(math.Abs(by), 16)) {
			moved = r.countOneMore(c, condition, s, by > 0) || moved
		}
		return moved
	}
	return k
}

// countOneMore makes a condition hold for one element more, or for one less.
func (r balancer) countOneMore(c ast.CallExpr, condition ast.Expr, s scope, more bool) bool {
	for _, inner := range r.rule.scopes(c, s) {
		if r.rule.holds(condition, inner, !more) && r.make(condition, inner, more) {
			return true
		}
	}
	p := r.rule.place(c.Target(), s)
	if !more {
		for _, at := range p.elements() {
			if inner := s.with(c.Args()[0].AsIdent(), at); r.rule.holds(condition, inner, true) {
				at.drop()
				return true
			}
		}
		return false
	}
	if p.node.items == nil || !r.ensure(p) {
		return false
	}
	at := r.maker.appendItem(p)
	return at != nil && r.make(condition, s.with(c.Args()[0].AsIdent(), at), true)
}

// conditionKnob turns whether a condition holds.
func (r balancer) conditionKnob(condition ast.Expr, s scope) *knob {
	self := s.places["self"]
	k := &knob{step: 1, move: func(float64) bool { return false }, undo: func() {}}
	if self == nil {
		return k
	}
	k.undo = undoFunc(self)
	begun := r.rule.holds(condition, s, true)
	k.move = func(by float64) bool { return math.Abs(by) >= 0.5 && r.make(condition, s, !begun) }
	return k
}
