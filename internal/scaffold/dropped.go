package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/spec"
)

// childOwner is an API or a controller, with its children.
type childOwner struct {
	name     string // as in opgen.lock: EchoServer.demo.example.com, or controllers/service-per-pod
	pos      spec.Pos
	children []spec.Child
	accepted []spec.Warning
}

// parentsWithChildren returns all APIs and controllers, including those without an operator.
func parentsWithChildren(apis []*spec.Summary, controllers []*spec.Controller) []childOwner {
	var owners []childOwner
	for _, api := range apis {
		m := childOwner{name: api.GroupKind(), pos: api.Pos, accepted: api.AcceptWarnings}
		if api.Operator != nil {
			m.pos, m.children = api.Operator.Pos, api.Operator.Children
		}
		owners = append(owners, m)
	}
	for _, c := range controllers {
		owners = append(owners, childOwner{controllerPrefix + c.Name, c.Operator.Pos, c.Operator.Children, c.AcceptWarnings})
	}
	return owners
}

// childKinds returns the kinds of children by the name of their owner: EchoServer.demo.example.com
// → Pod, Deployment.apps. It leaves out kinds with pruneOnly.
func childKinds(owners []childOwner) map[string][]string {
	kinds := map[string][]string{}
	for _, m := range owners {
		for _, child := range m.children {
			if !child.PruneOnly {
				kinds[m.name] = append(kinds[m.name], childName(child))
			}
		}
		slices.Sort(kinds[m.name])
		kinds[m.name] = slices.Compact(kinds[m.name]) // a kind may be listed several times
	}
	return kinds
}

// childName returns the name of a kind without its version, since all versions show the same
// objects.
func childName(child spec.Child) string {
	return schema.FromAPIVersionAndKind(child.APIVersion, child.Kind).GroupKind().String()
}

// checkDroppedChildren returns an error if a spec file no longer names a kind of children that the
// lock lists. Children of the kind would stay in clusters, because the operator would have no
// permission to prune them.
func checkDroppedChildren(before map[string][]string, owners []childOwner) error {
	var problems spec.Problems
	for _, m := range owners {
		var named []string
		for _, child := range m.children {
			named = append(named, childName(child))
		}
		for _, child := range before[m.name] {
			if !slices.Contains(named, child) {
				problems = append(problems, droppedProblem(m.pos, child))
			}
		}
	}
	return problems.Err()
}

func droppedProblem(pos spec.Pos, child string) spec.Problem {
	kind, _, _ := strings.Cut(child, ".")
	return spec.Problem{
		Pos:     pos,
		Path:    "operator.children",
		Message: fmt.Sprintf("no longer has %s, and nothing would prune those that were made", child),
		Hint:    fmt.Sprintf("keep the apiVersion and kind of %s, and add pruneOnly: true to them, until no cluster has such children", kind),
	}
}
