package warnings

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/permissions"
	"github.com/opgen-dev/opgen/internal/spec"
)

// warnOfRules warns of rules that permit more than what they name, each once.
func warnOfRules(op *spec.Operator, warn func(path, message, hint string)) {
	for i, rule := range op.RBAC {
		if found, danger := firstDanger(rule); danger != "" {
			warn(fmt.Sprintf("operator.rbac[%d]", i),
				fmt.Sprintf("whoever gets hold of the operator's ServiceAccount may %s %s, which %s", found.Verb, strings.TrimSuffix(found.Target.String(), " cluster-wide"), danger),
				"leave out what Sync does not need, or name the only objects in resourceNames")
		}
	}
}

// firstDanger returns the first dangerous permission of a rule.
func firstDanger(rule spec.PolicyRule) (permissions.Permission, string) {
	for _, verb := range rule.Verbs {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				at := permissions.Target{Group: group, Resource: resource, Name: cmp.Or(rule.ResourceNames...)}
				p := permissions.Permission{Target: at, Verb: verb}
				if danger := permissions.Danger(p); danger != "" {
					return p, danger
				}
			}
		}
	}
	return permissions.Permission{}, ""
}
