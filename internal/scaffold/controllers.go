package scaffold

import (
	"fmt"
	"slices"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/scaffold/deploy"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// controller is a controller of the project for existing kinds.
type controller struct {
	spec      *spec.Controller
	templates templates.Operator
	foreign   []kinds.Resource // including its parents
}

// folder returns the folder of the controller's Go package.
func (c controller) folder() string { return "internal/" + c.spec.Package() }

// manifest returns the files of the controller.
func (c controller) manifest() []output {
	return append(operatorManifest(c.folder(), func() templates.Operator { return c.templates }), foreignOutputs(c.folder(), c.foreign)...)
}

// addController adds a controller to the project.
func (p *project) addController(r kinds.Resolver, c *spec.Controller) spec.Problems {
	parents, problems := resolveParents(r, p.Project, c)
	op := resolveOperator(r, c.Operator, c.At, parents, p.Watch)
	o := operatorTemplates(p.Project, c.Operator, op)
	o.Controller = &templates.Controller{Name: c.Name, Package: c.Package(), Group: c.Group(p.Project), ParentMetadata: c.ParentMetadata}
	foreign, runsInTests := op.foreign, true
	for i, parent := range parents {
		runsInTests = runsInTests && parent.Namespaced
		if parent.Foreign {
			foreign = append(foreign, parent)
		}
		o.Controller.Parents = append(o.Controller.Parents, kinds.Parent{Resource: parent, Spec: c.Parents[i]})
		p.operator.Kinds = append(p.operator.Kinds, deploy.Kind{
			Group: parent.Group, Plural: parent.Plural, Namespaced: parent.Namespaced,
			Unreferenced: c.Operator.HasUnreferencedChildren(), Children: op.children, Related: op.related, Rules: c.Operator.RBAC,
		})
	}
	if !runsInTests {
		foreign = nil // a test would see objects of others
	}
	p.operator.Controllers = append(p.operator.Controllers, deploy.Controller{Name: c.Package(), Group: c.Group(p.Project)})
	p.controllers = append(p.controllers, controller{c, o, foreign})
	return slices.Concat(problems, op.problems, op.checkSchemas(c.Operator, c.At), p.checkMetricNames("controller "+c.Name, c.Operator, c.At), checkTakeOverFrom(c.Package(), c.Group(p.Project), c.Operator, c.At))
}

// resolveParents completes the kinds that a controller reconciles.
func resolveParents(r kinds.Resolver, p *spec.Project, c *spec.Controller) ([]kinds.Resource, spec.Problems) {
	var problems spec.Problems
	parents := make([]kinds.Resource, len(c.Parents))
	for i, declared := range c.Parents {
		at := fmt.Sprintf("parents[%d].", i)
		fail := func(key, message, hint string) {
			problems = append(problems, spec.Problem{Pos: c.PositionOf(at + key), Path: at + key, Message: message, Hint: hint})
		}
		parent, problem := r.Resolve(declared.Resource)
		parents[i] = parent
		switch {
		case problem != nil:
			fail("kind", problem.Message, problem.Hint)
			continue
		case !parent.Foreign && declared.Scope != "" && declared.Scope != parent.Scope():
			fail("scope", "kind "+declared.Kind+" is "+scopeWords[parent.Scope()], "leave scope out: it is known")
		case !parent.Foreign && declared.Plural != "" && declared.Plural != parent.Plural:
			fail("plural", "the plural of "+declared.Kind+" is "+parent.Plural, "leave plural out: it is known")
		}
		if p.Watch == spec.WatchNamespace && !parent.Namespaced {
			fail("kind", "an operator with watch: namespace cannot see cluster-scoped objects", "write watch: cluster in "+p.File)
		}
	}
	return parents, problems
}

// scopeWords are the scopes in messages.
var scopeWords = map[spec.Scope]string{spec.Namespaced: "namespaced", spec.Cluster: "cluster-scoped"}
