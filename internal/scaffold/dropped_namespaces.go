package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// childNamespaces are the namespaces that children can lie in beside that of their parent, by the
// name of the owner and by the kind of the children; spec.AllNamespaces alone stands for every one.
type childNamespaces map[string]map[string][]string

// lockedNamespaces returns the namespaces of the children of all APIs and controllers. Kinds whose
// children lie in the namespaces of their parents, or in none, are not among them.
func (p *project) lockedNamespaces() childNamespaces {
	all := childNamespaces{}
	for _, k := range p.kinds {
		all.add(APIName(k.api), k.api.Scope != spec.Cluster, k.operator.Children)
	}
	for _, c := range p.controllers {
		isNamespaced := slices.ContainsFunc(c.templates.Controller.Parents, func(parent kinds.Parent) bool { return parent.Namespaced })
		all.add(controllerPrefix+c.spec.Name, isNamespaced, c.templates.Children)
	}
	return all
}

// add adds the namespaces of the children of one owner.
func (n childNamespaces) add(owner string, hasNamespacedParents bool, children []kinds.Child) {
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

// checkDroppedNamespaces returns an error if a spec file no longer has a namespace that children of
// a kind could lie in so far. The operator would neither see nor prune the children there. Nothing
// in the file says whether there are any, so that an author accepts the change.
func checkDroppedNamespaces(before, after childNamespaces, owners []childOwner) error {
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

// droppedNamespaces returns the namespaces that only the list of before has, for messages.
func droppedNamespaces(before, after []string) []string {
	switch {
	case slices.Contains(after, spec.AllNamespaces):
		return nil
	case slices.Contains(before, spec.AllNamespaces):
		return []string{"all namespaces"}
	}
	return slices.DeleteFunc(slices.Clone(before), func(namespace string) bool { return slices.Contains(after, namespace) })
}
