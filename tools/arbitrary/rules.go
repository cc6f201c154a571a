package arbitrary

import (
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiserver/pkg/cel/environment"
)

// rule is a CEL rule as its author wrote it: macros such as has() and all() are calls like any
// other.
type rule struct {
	text     string
	expr     ast.Expr
	info     *ast.SourceInfo
	programs map[int64]*program // by the expression
}

// program evaluates an expression.
type program struct {
	run cel.Program
	err error
}

// environments returns the environments that rules are parsed and evaluated in. Their variables
// have no types: the rules have been checked with the CRD.
var environments = sync.OnceValues(func() (plain, macros *cel.Env) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv()
	plain, err := base.Extend(cel.ClearMacros())
	if err != nil {
		panic(fmt.Sprintf("no environment for CEL without macros: %v", err)) // the options are constant
	}
	return plain, base
})

// rulesOf returns the rules that hold for a new object: those that compare it with the old one hold
// for none, unless they say what holds without an old one.
func rulesOf(all apiextv1.ValidationRules) ([]*rule, error) {
	var found []*rule
	plain, _ := environments()
	for _, r := range all {
		optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
		parsed, issues := plain.Parse(r.Rule)
		if issues != nil && issues.Err() != nil {
			return nil, fmt.Errorf("%s: %w", r.Rule, issues.Err())
		}
		made := &rule{
			text: r.Rule, expr: parsed.NativeRep().Expr(), info: parsed.NativeRep().SourceInfo(),
			programs: map[int64]*program{},
		}
		if optional || !usesVariable(made.expr, "oldSelf") {
			found = append(found, made)
		}
	}
	return found, nil
}

// usesVariable reports whether an expression uses a variable.
func usesVariable(e ast.Expr, name string) bool {
	used := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		used = used || e.Kind() == ast.IdentKind && e.AsIdent() == name
	}))
	return used
}

// scope has the variables of an expression: places in the object and values.
type scope struct {
	places map[string]*place
	values map[string]ref.Val
}

// with returns a scope that has a place more.
func (s scope) with(name string, p *place) scope {
	places := map[string]*place{name: p}
	for other, q := range s.places {
		if other != name {
			places[other] = q
		}
	}
	return scope{places, s.values}
}

// withValue returns a scope that has a value more.
func (s scope) withValue(name string, v ref.Val) scope {
	values := map[string]ref.Val{name: v}
	for other, w := range s.values {
		if other != name {
			values[other] = w
		}
	}
	return scope{s.places, values}
}

// value evaluates an expression of a rule.
func (r *rule) value(e ast.Expr, s scope) (ref.Val, error) {
	if e.Kind() == ast.LiteralKind {
		return e.AsLiteral(), nil
	}
	p := r.program(e)
	if p.err != nil {
		return nil, p.err
	}
	variables := map[string]any{"oldSelf": types.OptionalNone}
	for name, at := range s.places {
		variables[name] = at.val()
	}
	for name, v := range s.values {
		variables[name] = v
	}
	out, _, err := p.run.Eval(variables)
	return out, err
}

// holds reports whether an expression is what it should be; one that cannot be evaluated never is.
func (r *rule) holds(e ast.Expr, s scope, want bool) bool {
	v, err := r.value(e, s)
	return err == nil && v.Equal(types.Bool(want)) == types.True
}

// program returns the program of an expression, whose text is parsed again for it, now with macros.
func (r *rule) program(e ast.Expr) *program {
	if known := r.programs[e.ID()]; known != nil {
		return known
	}
	made := &program{}
	r.programs[e.ID()] = made
	text := r.text
	if e != r.expr {
		if text, made.err = cel.ExprToString(e, r.info); made.err != nil {
			return made
		}
	}
	_, macros := environments()
	parsed, issues := macros.Parse(text)
	if issues != nil && issues.Err() != nil {
		made.err = issues.Err()
		return made
	}
	made.run, made.err = macros.Program(parsed)
	return made
}

// unescapeField returns the name of a field in the schema, which CEL escapes where it is no
// identifier.
func unescapeField(escaped string) string {
	if name, ok := unescape(escaped); ok {
		return name
	}
	return strings.TrimSpace(escaped)
}
