package warnings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// scaled are the kinds of workloads whose replicas an autoscaler sets.
var scaled = []string{"Deployment", "ReplicaSet", "StatefulSet"}

// warnOfAutoscalers warns of workloads beside a HorizontalPodAutoscaler whose entry does not hand over
// the replicas. Both would set them.
func warnOfAutoscalers(op *spec.Operator, warn func(path, message, hint string)) {
	if !slices.ContainsFunc(op.Children, func(c spec.Child) bool { return isOf(c, "autoscaling", "HorizontalPodAutoscaler") && !c.PruneOnly }) {
		return
	}
	for i, c := range op.Children {
		isScaled := slices.ContainsFunc(scaled, func(kind string) bool { return isOf(c, "apps", kind) })
		handsOver := slices.Contains(c.HandOver, ".spec.replicas") || slices.Contains(c.HandOver, ".spec")
		if isScaled && !handsOver && !c.PruneOnly && c.Update != spec.CreateOnly {
			warn(fmt.Sprintf("operator.children[%d].kind", i),
				c.Kind+" is a child beside HorizontalPodAutoscaler, and does not hand over .spec.replicas: where Sync sets them, both change them; where it stops, they fall to 1",
				"write handOver: [.spec.replicas], and leave the replicas out in Sync while an autoscaler sets them")
		}
	}
}

// isOf reports whether a child is of a kind in an API group.
func isOf(c spec.Child, group, kind string) bool {
	return c.Kind == kind && strings.HasPrefix(c.APIVersion, group+"/")
}
