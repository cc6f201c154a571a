package warnings

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// OfReadiness returns the warnings about children that may never become ready: of kinds that may lack
// the condition Ready, and for which the file has no readyWhen. The APIs and controllers are those with
// the children. known are all APIs of the project. The warnings are in the order of files and positions.
func OfReadiness(known, apis []*spec.Summary, controllers []*spec.Controller) spec.Problems {
	var all spec.Problems
	warn := func(op *spec.Operator, accepted []spec.Warning, positionOf func(path string) spec.Pos) {
		if op == nil || accepts(accepted, spec.WarnReadiness) {
			return
		}
		for i, child := range op.Children {
			if message, hint := readinessOf(child, known); message != "" {
				path := fmt.Sprintf("operator.children[%d].kind", i)
				all = append(all, spec.Problem{Pos: positionOf(path), Path: path, Message: message, Hint: hint, Warning: spec.WarnReadiness})
			}
		}
	}
	for _, api := range apis {
		warn(api.Operator, api.AcceptWarnings, api.PositionOf)
	}
	for _, c := range controllers {
		warn(c.Operator, c.AcceptWarnings, c.PositionOf)
	}
	return all.Sorted()
}

// readinessOf returns why children of a kind may never become ready, and what to do about it. The
// message is empty if opgen knows when they are ready.
func readinessOf(child spec.Child, known []*spec.Summary) (message, hint string) {
	if child.PruneOnly || child.ReadyWhen.Text != "" || child.Cache == spec.CacheMetadata {
		return "", ""
	}
	for _, api := range known {
		for _, v := range api.Versions {
			if api.Names.Kind == child.Kind && api.Group+"/"+v.Name == child.APIVersion {
				if v.LacksConditions {
					return child.Kind + " has a status without conditions, so that it never has the condition Ready=True, by which it would be ready",
						"set readyWhen, or give " + child.Kind + " the standard status"
				}
				return "", ""
			}
		}
	}
	if _, found := kubetypes.Lookup(child.APIVersion, child.Kind); found {
		return "", ""
	}
	return child.Kind + " is ready once it has the condition Ready=True, and opgen does not know whether it ever has that",
		"if it never has, set readyWhen (\"true\": it is ready when it exists)"
}
