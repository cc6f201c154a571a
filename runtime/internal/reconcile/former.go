package reconcile

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// formerKeys are the marks of an operator of this runtime from which children are taken over, such as the
// same operator under an earlier name.
type formerKeys struct {
	ownership.Keys
	group   string
	manager string
}

// parseFormer returns the marks of the operators of this runtime among field managers.
func parseFormer(managers []string) (former []formerKeys) {
	for _, manager := range managers {
		if name, group, ok := managedfields.ParseFieldManager(manager); ok {
			former = append(former, formerKeys{ownership.KeysOf(group, name), group, manager})
		}
	}
	return former
}

// isChild reports whether an object without a controller is a child of a parent by the marks that the
// former operator wrote.
func (f formerKeys) isChild(object client.Object, owner ownership.Parent, namespaced map[schema.GroupKind]bool) bool {
	parent, ok := f.ParentOf(object, namespaced)
	return ok && parent.UID == owner.UID && parent.Name == owner.Name && f.HasWrittenLabel(object, f.manager) && !f.NamesAnother(object)
}

// formerClaims returns the claims to an object of the operators from which children are taken over.
func (c *childCache) formerClaims(object client.Object) (claims []apply.Claim) {
	for _, claim := range c.claims(object) {
		for _, former := range c.former {
			if claim.Label == former.Label {
				claims = append(claims, claim)
			}
		}
	}
	return claims
}

// moveMarks adds to the metadata of a patch that an object loses the marks of the former operators. What
// these have recorded of the object goes on under the keys of this operator.
func (c *childCache) moveMarks(metadata map[string]any, object client.Object) {
	for _, former := range c.former {
		c.keys.MoveFrom(former.Keys, object, metadata)
	}
}
