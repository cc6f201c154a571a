package permissions

import (
	"cmp"
	"slices"
	"strings"
)

// Change is permissions for one target that one of two sets of roles has, and the other has not.
type Change struct {
	Target
	Added   bool
	Verbs   []string
	Dangers []string // of added permissions
}

// String returns the change as one line, such as "+ permission: create pods cluster-wide".
func (c Change) String() string {
	sign, role, danger := "-", "", ""
	if c.Added {
		sign = "+"
	}
	if c.Role != "" {
		role = " of the role " + c.Role
	}
	if len(c.Dangers) > 0 {
		danger = " (dangerous: " + strings.Join(c.Dangers, "; ") + ")"
	}
	return sign + " permission" + role + ": " + strings.Join(c.Verbs, ", ") + " " + c.Target.String() + danger
}

// Compare returns how roles differ: what was added, and then what was removed, each in the order of
// the targets.
func Compare(before, after []Permission) []Change {
	return append(onlyIn(after, before, true), onlyIn(before, after, false)...)
}

// onlyIn returns the permissions that others have not, those for one target together.
func onlyIn(permissions, others []Permission, added bool) []Change {
	has := map[Permission]bool{}
	for _, p := range others {
		has[p] = true
	}
	var changes []Change
	at := map[Target]int{}
	for _, p := range permissions {
		if has[p] {
			continue
		}
		has[p] = true // once, if several rules have it
		i, found := at[p.Target]
		if !found {
			i = len(changes)
			at[p.Target] = i
			changes = append(changes, Change{Target: p.Target, Added: added})
		}
		changes[i].Verbs = append(changes[i].Verbs, p.Verb)
		if danger := Danger(p); added && danger != "" && !slices.Contains(changes[i].Dangers, danger) {
			changes[i].Dangers = append(changes[i].Dangers, danger)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return compareTargets(a.Target, b.Target) })
	return changes
}

// compareTargets orders bound roles before others, and the whole cluster before namespaces.
func compareTargets(a, b Target) int {
	return cmp.Or(
		strings.Compare(a.Role, b.Role), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Group, b.Group),
		strings.Compare(a.Resource, b.Resource), strings.Compare(a.Name, b.Name), strings.Compare(a.URL, b.URL),
	)
}
