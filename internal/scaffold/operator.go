package scaffold

import (
	"fmt"
	"slices"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/opcheck"
	"github.com/opgen-dev/opgen/internal/spec"
)

// resolvedOperator is an operator of a spec file, completed with what the file leaves out.
type resolvedOperator struct {
	children []kinds.Child
	related  []kinds.Related
	foreign  []kinds.Resource // kinds that neither Kubernetes nor the project defines
	parents  []kinds.Resource
	problems spec.Problems
}

// resolveOperator completes the operator of a spec file. at has the positions of the keys of the
// file by path.
func resolveOperator(r kinds.Resolver, op *spec.Operator, at map[string]spec.Pos, parents []kinds.Resource, watch spec.Watch) resolvedOperator {
	entries := entryResolver{Resolver: r, at: at, watch: watch, out: resolvedOperator{parents: parents}}
	for i, declared := range op.Children {
		entries.addChild(declared, fmt.Sprintf("operator.children[%d]", i))
	}
	for i, declared := range op.Related {
		entries.addRelated(declared, fmt.Sprintf("operator.related[%d]", i), op.Related)
	}
	return entries.out
}

// checkSchemas checks an operator against the schemas of its parents and children.
func (o resolvedOperator) checkSchemas(op *spec.Operator, at map[string]spec.Pos) spec.Problems {
	problems := append(opcheck.Related(op, o.parents, o.related, at), opcheck.Metrics(op, o.parents, at)...)
	for i, declared := range op.Children {
		resolved := slices.IndexFunc(o.children, func(c kinds.Child) bool { return c.Spec.Pos == declared.Pos })
		if resolved < 0 {
			continue // the kind is unknown
		}
		kind, path := o.children[resolved].Resource, fmt.Sprintf("operator.children[%d].", i)
		problems = append(problems, opcheck.HandOver(declared, path+"handOver", kind, at)...)
		problems = append(problems, opcheck.Rule(declared.ReadyWhen, path+"readyWhen", kind.Schema)...)
		problems = append(problems, opcheck.Rule(declared.FinishedWhen, path+"finishedWhen", kind.Schema)...)
	}
	return problems
}

// entryResolver completes the entries of one operator.
type entryResolver struct {
	kinds.Resolver
	at    map[string]spec.Pos
	watch spec.Watch
	out   resolvedOperator
}

// reportAt adds an error at a key of an entry, or at the entry if it lacks the key.
func (e *entryResolver) reportAt(entry spec.Pos, path, message, hint string) {
	pos, ok := e.at[path]
	if !ok {
		pos = entry
	}
	e.out.problems = append(e.out.problems, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint})
}

// resolveKind completes the kind of an entry. It reports false if the kind is not known.
func (e *entryResolver) resolveKind(declared spec.Resource, path string) (kinds.Resource, bool) {
	r, problem := e.Resolve(declared)
	if problem != nil {
		e.reportAt(declared.Pos, path+".kind", problem.Message, problem.Hint)
		return r, false
	}
	if r.Foreign {
		e.out.foreign = append(e.out.foreign, r)
	}
	if !r.Namespaced && e.watch == spec.WatchNamespace {
		e.reportAt(declared.Pos, path+".kind", r.Kind+" is cluster-scoped, and an operator with watch: namespace has no rights to it",
			"write watch: cluster in opgen.yaml, or leave the kind out")
	}
	return r, true
}

func (e *entryResolver) addChild(declared spec.Child, path string) {
	r, ok := e.resolveKind(declared.Resource, path)
	if !ok {
		return
	}
	switch _, given := e.at[path+".namespaces"]; {
	case given && !r.Namespaced:
		e.reportAt(declared.Pos, path+".namespaces", r.Kind+" is cluster-scoped", "leave the key out")
	case given && !declared.ListsNamespaces() && e.watch == spec.WatchNamespace:
		e.reportAt(declared.Pos, path+".namespaces", "an operator with watch: namespace has no permissions in all others",
			"list the namespaces, or write watch: cluster in opgen.yaml")
	}
	e.out.children = append(e.out.children, kinds.Child{Resource: r, Spec: declared})
}

// addRelated adds an entry of related objects, of which all are the entries.
func (e *entryResolver) addRelated(declared spec.Related, path string, all []spec.Related) {
	r, ok := e.resolveKind(declared.Resource, path)
	if !ok {
		return
	}
	elsewhere := len(declared.Namespaces) > 0 || declared.NamespacesFrom != ""
	switch _, given := e.at[path+".namespaces"]; {
	case given && !r.Namespaced:
		e.reportAt(declared.Pos, path+".namespaces", r.Kind+" is cluster-scoped", "leave the key out")
	case elsewhere && e.watch == spec.WatchNamespace:
		e.reportAt(declared.Pos, path+".namespaces", "an operator with watch: namespace sees no other",
			"write watch: cluster in opgen.yaml, or leave the key out")
	}
	for _, p := range e.out.parents {
		if declared.Access == spec.AccessGet && !declared.Dynamic && r.Namespaced && declared.MayBeAnywhere(p.Namespaced || e.isFromNamespaced(declared, all)) {
			e.reportAt(declared.Pos, path+".access", "get reads objects of one namespace, and "+p.Kind+" lies in none",
				"list the namespaces, or write a path in the parent that leads to them")
		}
	}
	added := kinds.Related{Resource: r, Spec: declared}
	if declared.OfChild != "" {
		e.setChild(&added, path)
	}
	e.out.related = append(e.out.related, added)
}

// isFromNamespaced reports whether the paths of an entry lead into objects of another one which have a
// namespace.
func (e *entryResolver) isFromNamespaced(declared spec.Related, all []spec.Related) bool {
	i := slices.IndexFunc(all, func(other spec.Related) bool { return other.As == declared.From })
	if i < 0 {
		return false
	}
	source, problem := e.Resolve(all[i].Resource)
	return problem == nil && source.Namespaced
}

// setChild completes an entry of objects that a child controls.
func (e *entryResolver) setChild(of *kinds.Related, path string) {
	i := slices.IndexFunc(e.out.children, func(c kinds.Child) bool { return c.Field == of.Spec.OfChild })
	if i < 0 {
		return // the kind is unknown, or package spec has reported it
	}
	child := e.out.children[i]
	of.OfChild, of.Through = &child, kinds.Through(child.Resource, of.Resource)
	switch {
	case child.Kind == "CronJob" && of.Kind != "Job":
		e.reportAt(of.Spec.Pos, path+".ofChild", "a CronJob controls Jobs, and these control their Pods", "write kind: Job")
	case e.watch == spec.WatchNamespace && child.Spec.ListsNamespaces():
		e.reportAt(of.Spec.Pos, path+".ofChild", "an operator with watch: namespace sees no other, and the entry of the child lists some",
			"write watch: cluster in opgen.yaml, or leave namespaces out there")
	}
}
