package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// lockedNamespaces returns the namespaces of the children of all APIs and controllers. It leaves
// out kinds whose children are only in the namespaces of their parents, or cluster-scoped.
func (p *project) lockedNamespaces() tree.ChildNamespaces {
	all := tree.ChildNamespaces{}
	for _, k := range p.kinds {
		addNamespaces(all, k.api.GroupKind(), k.api.Scope != spec.Cluster, k.operator.Children)
	}
	for _, c := range p.controllers {
		isNamespaced := slices.ContainsFunc(c.templates.Controller.Parents, func(parent kinds.Parent) bool { return parent.Namespaced })
		addNamespaces(all, controllerPrefix+c.spec.Name, isNamespaced, c.templates.Children)
	}
	return all
}

// addNamespaces adds the namespaces of the children of one owner.
func addNamespaces(n tree.ChildNamespaces, owner string, hasNamespacedParents bool, children []kinds.Child) {
	for _, child := range children {
		namespaces := slices.Sorted(slices.Values(child.Spec.Namespaces))
		if len(namespaces) == 0 && !hasNamespacedParents && child.Namespaced {
			namespaces = []string{spec.AllNamespaces}
		}
		if len(namespaces) == 0 {
			continue
		}
		if n[owner] == nil {
			n[owner] = map[string][]string{}
		}
		n[owner][childName(child.Spec)] = namespaces
	}
}

// checkDroppedNamespaces returns an error if a spec file no longer lists a namespace of children
// that the lock lists. The operator would neither see nor prune children there. opgen cannot know
// whether there are any, so the author has to accept the change.
func checkDroppedNamespaces(before, after tree.ChildNamespaces, owners []childOwner) error {
	var problems spec.Problems
	for _, m := range owners {
		if slices.Contains(m.accepted, spec.WarnNamespaces) {
			continue
		}
		for i, child := range m.children {
			name := childName(child)
			dropped := droppedNamespaces(before[m.name][name], after[m.name][name])
			if len(dropped) == 0 {
				continue
			}
			problems = append(problems, spec.Problem{
				Pos:     child.Pos,
				Path:    fmt.Sprintf("operator.children[%d].namespaces", i),
				Message: fmt.Sprintf("no longer has %s, and nothing would prune the children of kind %s there", strings.Join(dropped, ", "), child.Kind),
				Hint:    fmt.Sprintf("release an operator that desires no %s there, and then write acceptWarnings: [%s] until this is generated", child.Kind, spec.WarnNamespaces),
			})
		}
	}
	return problems.Err()
}

// droppedNamespaces returns the namespaces that are only in before, for messages.
func droppedNamespaces(before, after []string) []string {
	switch {
	case slices.Contains(after, spec.AllNamespaces):
		return nil
	case slices.Contains(before, spec.AllNamespaces):
		return []string{"all namespaces"}
	}
	return slices.DeleteFunc(slices.Clone(before), func(namespace string) bool { return slices.Contains(after, namespace) })
}
