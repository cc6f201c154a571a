package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/spec"
)

// childKinds are the kinds of children that each API makes, by the API's kind and group: EchoServer.demo.example.com
// → Pod, Deployment.apps. A retired kind is not among them: nothing of it is made any more.
func childKinds(apis []*spec.API) map[string][]string {
	kinds := map[string][]string{}
	for _, api := range apis {
		for _, child := range madeChildren(api) {
			kinds[apiName(api)] = append(kinds[apiName(api)], child)
		}
		slices.Sort(kinds[apiName(api)])
	}
	return kinds
}

func apiName(api *spec.API) string {
	return schema.GroupKind{Group: api.Group, Kind: api.Names.Kind}.String()
}

func madeChildren(api *spec.API) []string {
	var made []string
	if api.Operator != nil {
		for _, child := range api.Operator.Children {
			if !child.Retired {
				made = append(made, childName(child))
			}
		}
	}
	return made
}

// childName leaves out the version: another version of a kind shows the same objects.
func childName(child spec.Child) string {
	return schema.FromAPIVersionAndKind(child.APIVersion, child.Kind).GroupKind().String()
}

// dropped refuses to forget a kind of children that an API has made so far: its objects would be left behind, with
// nobody to prune them and no right to do so.
func dropped(before map[string][]string, apis []*spec.API) error {
	var problems spec.Problems
	for _, api := range apis {
		var named []string
		pos := api.Pos
		if api.Operator != nil {
			pos = api.Operator.Pos
			for _, child := range api.Operator.Children {
				named = append(named, childName(child))
			}
		}
		for _, child := range before[apiName(api)] {
			if !slices.Contains(named, child) {
				problems = append(problems, droppedProblem(pos, child))
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
		Hint:    fmt.Sprintf("keep the apiVersion and kind of %s, and add retired: true to them, until no cluster has such children", kind),
	}
}
