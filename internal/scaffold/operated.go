package scaffold

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/opcheck"
	"github.com/opgen-dev/opgen/internal/scaffold/deploy"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// operated is an operator block with everything that it leaves out, in the forms that the renderers take.
type operated struct {
	children []templates.Child
	related  []templates.Related
	owned    []deploy.Child
	read     []deploy.Resource
	foreign  []resource // kinds that neither Kubernetes nor the project defines
	problems spec.Problems
}

// operate completes the operator block of a file and checks it against the schemas of its parents and children.
// The positions are those of the file's keys by path.
func (r resolver) operate(op *spec.Operator, at map[string]spec.Pos, parents []opcheck.Parent, watch spec.Watch) operated {
	o := operated{problems: opcheck.Related(op, parents, at)}
	b := block{resolver: r, at: at, watch: watch, into: &o}
	for i, declared := range op.Children {
		b.child(declared, fmt.Sprintf("operator.children[%d]", i))
	}
	for i, declared := range op.Related {
		b.related(declared, fmt.Sprintf("operator.related[%d]", i))
	}
	return o
}

// block completes the entries of one operator block.
type block struct {
	resolver
	at    map[string]spec.Pos
	watch spec.Watch
	into  *operated
}

// fail reports what is wrong with a key of an entry, at the entry where it lacks the key.
func (b block) fail(entry spec.Pos, path, message, hint string) {
	pos, ok := b.at[path]
	if !ok {
		pos = entry
	}
	b.into.problems = append(b.into.problems, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint})
}

// kindOf completes the kind of an entry. It reports false when that cannot be.
func (b block) kindOf(declared spec.Resource, path string) (resource, bool) {
	c, problem := b.resource(declared)
	if problem != nil {
		b.fail(declared.Pos, path+".kind", problem.Message, problem.Hint)
		return c, false
	}
	if c.foreign {
		b.into.foreign = append(b.into.foreign, c)
	}
	if !c.namespaced && b.watch == spec.WatchNamespace {
		b.fail(declared.Pos, path+".kind", c.Kind+" lies in no namespace, and an operator that watches one namespace has no rights to it",
			"write watch: cluster in opgen.yaml, or leave the kind out")
	}
	return c, true
}

func (b block) child(declared spec.Child, path string) {
	c, ok := b.kindOf(declared.Resource, path)
	if !ok {
		return
	}
	if declared.ReadyWhen.Text != "" {
		b.into.problems = append(b.into.problems, opcheck.Ready(declared.ReadyWhen, path+".readyWhen", c.wholeSchema())...)
	}
	b.into.children = append(b.into.children, templates.Child{
		Resource: c.view(), Update: declared.Update, Adopt: declared.Adopt, PruneOnly: declared.PruneOnly,
		WhenDropped: declared.WhenDropped, WhenDeleted: declared.WhenDeleted, WhenImmutable: declared.WhenImmutable,
		ReadyWhen: declared.ReadyWhen.Text, Metadata: declared.Cache == spec.CacheMetadata,
	})
	b.into.owned = append(b.into.owned, deploy.Child{Resource: deploy.Resource{Group: c.group, Plural: c.plural}, PruneOnly: declared.PruneOnly})
}

func (b block) related(declared spec.Related, path string) {
	c, ok := b.kindOf(declared.Resource, path)
	if !ok {
		return
	}
	elsewhere := len(declared.Namespaces) > 0 || declared.NamespacesFrom != ""
	switch _, said := b.at[path+".namespaces"]; {
	case said && !c.namespaced:
		b.fail(declared.Pos, path+".namespaces", c.Kind+" lies in no namespace", "leave the key out")
	case elsewhere && b.watch == spec.WatchNamespace:
		b.fail(declared.Pos, path+".namespaces", "an operator that watches one namespace sees no other",
			"write watch: cluster in opgen.yaml, or leave the key out")
	}
	b.into.related = append(b.into.related, templates.Related{
		Resource: c.view(), Name: declared.Name, NameFrom: declared.NameFrom, Selector: declared.Selector, SelectorFrom: declared.SelectorFrom,
		Namespaces: declared.Namespaces, NamespacesFrom: declared.NamespacesFrom, Dynamic: declared.Dynamic,
		Metadata: declared.Cache == spec.CacheMetadata,
	})
	b.into.read = append(b.into.read, deploy.Resource{Group: c.group, Plural: c.plural})
}
