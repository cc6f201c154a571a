package cel

import (
	"errors"
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Rule returns a function that reports whether a rule is true for an object. In the rule, self is
// the object as JSON, such as
//
//	self.status.phase == 'Running' && self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
//
// The functions are those of rules in CRDs. A field that the object does not have is an error,
// which has(self.status.phase) and self.?status.phase.orValue("") avoid.
//
// The rule is compiled once, at its first use. A rule that does not compile, does not return a
// boolean, or takes too long returns an error each time. The function is safe for concurrent use.
func Rule(expression string) func(client.Object) (bool, error) {
	compiled := sync.OnceValues(func() (cel.Program, error) { return compileRule(expression) })
	return func(object client.Object) (bool, error) {
		program, err := compiled()
		if err != nil {
			return false, err
		}
		self, err := contentOf(object)
		if err != nil {
			return false, err
		}
		return evaluateRule(program, self)
	}
}

// baseEnvironment is the environment of the newest Kubernetes that this module knows. The rule runs
// in the operator, so that the version of the API server does not matter.
var baseEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		return nil, err
	}
	return set.StoredExpressionsEnv(), nil
})

// compileRule returns the program of a rule. It returns an error if the rule does not return a
// boolean.
func compileRule(expression string) (cel.Program, error) {
	env, err := baseEnvironment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("rule %q: %w", expression, err)
	}
	if t := ast.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("rule %q: yields %s, not a boolean", expression, t)
	}
	return env.Program(ast)
}

// contentOf returns the object as JSON values.
func contentOf(object client.Object) (map[string]any, error) {
	if object == nil {
		return nil, errors.New("no object")
	}
	if u, ok := object.(runtime.Unstructured); ok {
		return u.UnstructuredContent(), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

// evaluateRule returns the result of a rule for an object.
func evaluateRule(program cel.Program, self map[string]any) (bool, error) {
	result, _, err := program.Eval(map[string]any{"self": self})
	if err != nil {
		return false, err
	}
	value, ok := result.Value().(bool)
	if !ok {
		return false, fmt.Errorf("yields %s, not a boolean", result.Type().TypeName())
	}
	return value, nil
}
