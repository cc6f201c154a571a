package arbitrary

import (
	"regexp"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// text makes a text match a pattern, begin, end or go on as a rule says, or not.
func (r *repair) text(c ast.CallExpr, s scope, want bool) {
	p := r.rule.place(c.Target(), s)
	if p == nil {
		return
	}
	if !r.ensure(p) {
		return
	}
	argument := c.Args()[0]
	v, err := r.rule.value(argument, s)
	if err != nil {
		if q := r.rule.place(argument, s); q == nil || !r.ensure(q) {
			return
		}
		v, err = r.rule.value(argument, s)
	}
	part, isText := v.(types.String)
	if err != nil || !isText {
		return
	}
	r.compose(p, demand{pattern: patternOf(c.FunctionName(), string(part)), want: want})
}

// patternOf returns a pattern that says what a function does.
func patternOf(function, part string) string {
	switch function {
	case "startsWith":
		return `\A` + regexp.QuoteMeta(part)
	case "endsWith":
		return regexp.QuoteMeta(part) + `\z`
	case "contains":
		return regexp.QuoteMeta(part)
	}
	return part
}

// remembered is how many demands on one node are kept, so that a text comes to fit several rules at
// once.
const remembered = 8

// compose sets a text that fits a demand, the keywords of its schema, and what other rules demanded
// of it before, as far as they go together.
func (r *repair) compose(p *place, d demand) bool {
	n := p.node
	l := r.maker.expand(n, nil)
	base := append(l.demands(), d)
	all := base
	for _, earlier := range n.demands {
		if _, ok := r.maker.composeText(append(slices.Clone(all), earlier)); ok {
			all = append(all, earlier)
		}
	}
	n.remember(d)
	for range 2 {
		if text, ok := r.maker.composeText(all); ok && r.put(p, text) {
			return true
		}
	}
	for range 4 { // what keywords cannot say as a pattern, such as a format, is a matter of luck
		if text, ok := r.maker.composeText(base); ok && r.put(p, text) {
			return true
		}
	}
	return false
}

// remember keeps a demand before the others: only the last on the length, and each pattern once.
func (n *node) remember(d demand) {
	others := slices.DeleteFunc(n.demands, func(e demand) bool { return e.pattern == d.pattern })
	n.demands = append([]demand{d}, others[:min(len(others), remembered-1)]...)
}

// demands returns what keywords ask of a text.
func (l *limits) demands() []demand {
	d := demand{}
	if l.MinLength != nil {
		d.least = int(*l.MinLength)
	}
	if l.MaxLength != nil {
		d.most = int(*l.MaxLength)
	}
	all := []demand{d}
	for _, pattern := range l.patterns {
		all = append(all, demand{pattern: pattern, want: true})
	}
	return all
}
