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

// Rule returns a function that tells whether a rule holds for an object. In the rule self is the object as JSON, such
// as
//
//	self.status.phase == 'Running' && self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
//
// and the functions are those that rules in CRDs have. A field that the object lacks makes the rule fail, which has, as in
// has(self.status.phase), and self.?status.phase.orValue("") avoid.
//
// The rule is compiled once, when it is first asked; a rule that does not compile, one that yields no boolean, and one that
// takes too long return an error each time. The function may be called from several goroutines.
func Rule(expression string) func(client.Object) (bool, error) {
	compiled := sync.OnceValues(func() (cel.Program, error) { return compile(expression) })
	return func(object client.Object) (bool, error) {
		program, err := compiled()
		if err != nil {
			return false, err
		}
		self, err := content(object)
		if err != nil {
			return false, err
		}
		return evaluate(program, self)
	}
}

// base is the environment of the newest Kubernetes that this module knows. A rule runs in the operator, so that the version of
// the API server is of no account.
var base = sync.OnceValues(func() (*cel.Env, error) {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		return nil, err
	}
	return set.StoredExpressionsEnv(), nil
})

func compile(expression string) (cel.Program, error) {
	env, err := base()
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

func content(object client.Object) (map[string]any, error) {
	if object == nil {
		return nil, errors.New("no object to judge")
	}
	if u, ok := object.(runtime.Unstructured); ok {
		return u.UnstructuredContent(), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

func evaluate(program cel.Program, self map[string]any) (bool, error) {
	result, _, err := program.Eval(map[string]any{"self": self})
	if err != nil {
		return false, err
	}
	holds, ok := result.Value().(bool)
	if !ok {
		return false, fmt.Errorf("yields %s, not a boolean", result.Type().TypeName())
	}
	return holds, nil
}
