package warnings

import (
	"fmt"
	"slices"

	"github.com/opgen-dev/opgen/internal/spec"
)

// warnOfSecrets warns of roles that give access to all Secrets, and of related Secrets that the
// writer of a parent chooses in namespaces they may have no access to. inNamespace says that
// parents are namespaced.
func warnOfSecrets(op *spec.Operator, parent string, inNamespace bool, warn func(path, message, hint string)) {
	listsAll := slices.ContainsFunc(op.Children, func(c spec.Child) bool { return isSecret(c.Resource) })
	for i, r := range op.Related {
		if !isSecret(r.Resource) {
			continue
		}
		path := fmt.Sprintf("operator.related[%d].", i)
		if key := keyAcrossNamespaces(r, op.Related, inNamespace); key != "" {
			warn(path+key, "whoever may write "+parent+" chooses whose Secrets the operator reads",
				"list the namespaces, or be sure that Sync gives an author of a "+parent+" nothing of a Secret that is not theirs")
		}
		if r.Access == spec.AccessWatch && r.Name == "" && !listsAll {
			warn(path+"kind", "the operator's role lets it list and watch every Secret of the namespaces that it works in", fewerRights(r))
		}
	}
}

func isSecret(r spec.Resource) bool { return r.APIVersion == "v1" && r.Kind == "Secret" }

// keyAcrossNamespaces returns the key of the entry by which the writer of a parent chooses objects
// in other namespaces, and "" if there is none. all are the entries of the operator.
func keyAcrossNamespaces(r spec.Related, all []spec.Related, inNamespace bool) string {
	switch {
	case r.NamespacesFrom != "":
		return "namespaces"
	case r.From != "" && len(r.Namespaces) == 0:
		i := slices.IndexFunc(all, func(other spec.Related) bool { return other.As == r.From })
		if i >= 0 && keyAcrossNamespaces(all[i], all, inNamespace) != "" {
			return "from"
		}
		return ""
	case !r.MayBeAnywhere(inNamespace):
		return ""
	case r.NameFrom != "":
		return "nameFrom"
	case r.SelectorFrom != "":
		return "selectorFrom"
	case len(r.Match) > 0:
		return "match"
	}
	return ""
}

// fewerRights returns the hint: what an entry of Secrets can say instead.
func fewerRights(r spec.Related) string {
	if r.Dynamic || r.NameFrom != "" {
		return "access: get needs no right to list and watch: it costs a request for each name in each reconcile, and a change of a Secret causes none"
	}
	return "name gives the rights to one Secret; nameFrom with access: get needs no right to list and watch"
}
