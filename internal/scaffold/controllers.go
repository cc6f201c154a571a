package scaffold

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/opcheck"
	"github.com/opgen-dev/opgen/internal/scaffold/deploy"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// controller is a controller of the project for kinds that exist already.
type controller struct {
	spec      *spec.Controller
	templates templates.Operator
	foreign   []resource // its parents among them
}

// folder is where the controller is.
func (c controller) folder() string { return "internal/" + c.spec.Package() }

// manifest is what the controller consists of.
func (c controller) manifest() []output {
	return append(operatorManifest(c.folder(), c.templates), foreignOutputs(c.folder(), c.foreign)...)
}

// addController takes in a controller.
func (p *project) addController(c *spec.Controller) spec.Problems {
	r := resolver{p.packages, p.crds}
	parents, problems := r.parents(p.Project, c)
	checked := make([]opcheck.Parent, len(parents))
	for i, parent := range parents {
		checked[i] = opcheck.Parent{Kind: parent.Kind, Namespaced: parent.namespaced, Schema: parent.wholeSchema()}
	}
	op := r.operate(c.Operator, c.At, checked, p.Watch)
	o := operator(p.Project, c.Operator, op)
	o.Controller = &templates.Controller{Name: c.Name, Package: c.Package(), Group: c.Group(p.Project), ParentMetadata: c.ParentMetadata}
	foreign, runsInTests := op.foreign, true
	for i, parent := range parents {
		runsInTests = runsInTests && parent.namespaced
		if parent.foreign {
			foreign = append(foreign, parent)
		}
		o.Controller.Parents = append(o.Controller.Parents, templates.Parent{
			Resource: parent.view(), Labels: c.Parents[i].Labels, Annotations: c.Parents[i].Annotations,
		})
		p.operator.Kinds = append(p.operator.Kinds, deploy.Kind{
			Group: parent.group, Plural: parent.plural, Children: op.owned, Related: op.read, Rules: c.Operator.RBAC,
		})
	}
	if !runsInTests {
		foreign = nil // a test would see the objects of others
	}
	p.controllers = append(p.controllers, controller{c, o, foreign})
	return append(problems, op.problems...)
}

// parents completes the kinds that a controller operates.
func (r resolver) parents(p *spec.Project, c *spec.Controller) ([]resource, spec.Problems) {
	var problems spec.Problems
	parents := make([]resource, len(c.Parents))
	for i, declared := range c.Parents {
		at := fmt.Sprintf("parents[%d].", i)
		fail := func(key, message, hint string) {
			problems = append(problems, spec.Problem{Pos: c.Place(at + key), Path: at + key, Message: message, Hint: hint})
		}
		parent, problem := r.resource(declared.Resource)
		parents[i] = parent
		switch {
		case problem != nil:
			fail("kind", problem.Message, problem.Hint)
			continue
		case parent.contradicts():
			fail("scope", "objects of kind "+declared.Kind+" are "+scopeWords[parent.scope()], "leave scope out: it is known")
		case !parent.foreign && declared.Plural != "" && declared.Plural != parent.plural:
			fail("plural", "the plural of "+declared.Kind+" is "+parent.plural, "leave plural out: it is known")
		}
		if p.Watch == spec.WatchNamespace && !parent.namespaced {
			fail("kind", "an operator that watches one namespace cannot see cluster-scoped objects", "write watch: cluster in "+p.File)
		}
	}
	return parents, problems
}

// scopeWords say where the objects of a kind lie.
var scopeWords = map[spec.Scope]string{spec.Namespaced: "in namespaces", spec.Cluster: "in no namespace"}

func (c resource) scope() spec.Scope {
	if c.namespaced {
		return spec.Namespaced
	}
	return spec.Cluster
}

// contradicts tells whether the file says another scope than a kind has that is known.
func (c resource) contradicts() bool { return !c.foreign && c.Scope != "" && c.Scope != c.scope() }
