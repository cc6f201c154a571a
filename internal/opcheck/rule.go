package opcheck

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Rule checks a rule about a child, as readyWhen is. It compiles the rule as the operator will:
// with self of any type. schemaOf returns the schema of the child, nil if it is not known; then fields are not
// checked. There is nothing to check without a text.
func Rule(rule spec.Expression, path string, schemaOf func() *schema) spec.Problems {
	if rule.Text == "" {
		return nil
	}
	r := ruleChecker{rule: rule, path: path}
	env, err := ruleEnvironment()
	if err != nil {
		r.reportAtOffset(0, err.Error(), "")
		return r.problems
	}
	ast, issues := env.Compile(rule.Text)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			hint := ""
			if strings.Contains(e.Message, "undeclared reference") {
				hint = "self is the child; the functions are those of rules in CRDs"
			}
			r.reportAtLine(e.Location.Line(), e.Location.Column(), shortenMessage(e.Message), hint)
		}
		return r.problems
	}
	if t := ast.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		r.reportAtOffset(0, "yields "+t.String()+", and a rule about a child yields a bool", "compare it with something: self.status.phase == 'Ready'")
		return r.problems
	}
	self := wholeObject(schemaOf())
	if self != nil {
		f := fieldChecker{ruleChecker: &r, info: ast.NativeRep().SourceInfo()}
		f.visit(ast.NativeRep().Expr(), scope{"self": self})
	}
	if len(r.problems) == 0 {
		r.checkCost(env, ast, self)
	}
	return r.problems
}

// ruleEnvironment is the CEL environment of package runtime/cel, which evaluates the rules.
var ruleEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		return nil, err
	}
	return set.StoredExpressionsEnv(), nil
})

// ruleChecker collects what is wrong with one rule.
type ruleChecker struct {
	rule     spec.Expression
	path     string
	problems spec.Problems
}

// reportAtOffset reports what is wrong at a character of the rule.
func (r *ruleChecker) reportAtOffset(offset int, message, hint string) {
	runes := []rune(r.rule.Text)
	before := string(runes[:min(max(offset, 0), len(runes))])
	if lines := strings.Count(before, "\n"); strings.Contains(strings.TrimSpace(r.rule.Text), "\n") {
		column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
		message += fmt.Sprintf(" (line %d, column %d of the rule)", lines+1, column)
	}
	r.problems = append(r.problems, spec.Problem{Pos: r.rule.At(len(before)), Path: r.path, Message: message, Hint: hint})
}

// reportAtLine reports what is wrong at a line, which counts from 1, and a column, which counts
// from 0.
func (r *ruleChecker) reportAtLine(line, column int, message, hint string) {
	offset := column
	for i, text := range strings.SplitAfter(r.rule.Text, "\n") {
		if i+1 < line {
			offset += len([]rune(text))
		}
	}
	r.reportAtOffset(offset, message, hint)
}

// shortenMessage removes the list of what it would have accepted from a message of the CEL
// compiler.
func shortenMessage(message string) string {
	message, _, _ = strings.Cut(message, " expecting {")
	message = strings.TrimSuffix(strings.TrimSpace(message), " (in container '')")
	if text, ok := strings.CutPrefix(message, "Syntax error: "); ok {
		message = "syntax error: " + text
	}
	return message
}

// checkCost reports a rule that could take longer than the operator allows.
func (r *ruleChecker) checkCost(env *cel.Env, ast *cel.Ast, self *schema) {
	estimate, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: sizes{self}})
	switch {
	case err != nil:
		r.reportAtOffset(0, err.Error(), "")
	case estimate.Max > celconfig.PerCallLimit:
		r.reportAtOffset(0, "may cost "+strconv.FormatUint(estimate.Max, 10)+", and the operator ends a rule at "+strconv.Itoa(celconfig.PerCallLimit)+
			": a list, map or text without a limit counts as "+strconv.Itoa(usualSize), "go through fewer lists inside of one another")
	}
}
