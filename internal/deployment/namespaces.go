package deployment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// rolesFile is the file of a project with the roles of its operator.
const rolesFile = "deploy/zz_generated.rbac.yaml"

// rolesHint says how an operator with roles in other namespaces is deployed into another namespace.
const rolesHint = "\n    leave namespace: out, or keep the roles of other namespaces in a kustomization of their own: docs/deploying.md shows one"

// CheckRoles returns an error if a kustomization has moved roles of the project in root that are for other namespaces than
// that of the operator, as namespace: does with everything. A role that the kustomization leaves out is none that it moves.
func CheckRoles(root, dir string, objects []*Object) error {
	generated, err := ReadFile(root, rolesFile)
	if err != nil {
		return err
	}
	own := ""
	for _, object := range generated {
		if object.GetKind() == "ServiceAccount" {
			own = object.GetNamespace()
		}
	}
	var moved []string
	for _, role := range generated {
		if role.GetKind() != "Role" || role.GetNamespace() == own {
			continue
		}
		if to := namespaceAfter(role, objects); to != role.GetNamespace() {
			moved = append(moved, fmt.Sprintf("Role %s from %s to %s", role.GetName(), role.GetNamespace(), to))
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return fmt.Errorf("the kustomization %s moves what the operator needs in other namespaces: %s%s", shortPath(dir), strings.Join(moved, ", "), rolesHint)
}

// namespaceAfter returns the namespace in which a kustomization has a role, which may have a prefix and a suffix then. It
// returns that of the role if the kustomization has it there, or nowhere.
func namespaceAfter(role *Object, objects []*Object) string {
	to := role.GetNamespace()
	for _, object := range objects {
		isIt := object.GetKind() == "Role" && strings.Contains(object.GetName(), role.GetName()) &&
			fmt.Sprint(object.Object["rules"]) == fmt.Sprint(role.Object["rules"])
		switch {
		case isIt && object.GetNamespace() == role.GetNamespace():
			return role.GetNamespace()
		case isIt:
			to = object.GetNamespace()
		}
	}
	return to
}

// namespaceConflict returns an error in words about objects of one name that a kustomization moves into one namespace, and
// nil if kustomize's error is another one.
func namespaceConflict(dir string, err error) error {
	_, objects, isConflict := strings.Cut(err.Error(), "namespace transformation produces ID conflict: [")
	if !isConflict {
		return nil
	}
	name, namespaces := "", []string(nil)
	for decoder := json.NewDecoder(strings.NewReader(objects)); ; {
		object := new(Object)
		if decoder.Decode(&object.Object) != nil { // the end of the list
			break
		}
		name = object.GetKind() + " " + object.GetName()
		before, _, _ := strings.Cut(object.GetAnnotations()["internal.config.kubernetes.io/previousNamespaces"], ",")
		namespaces = append(namespaces, before)
	}
	slices.Sort(namespaces)
	namespaces = slices.Compact(namespaces)
	if len(namespaces) < 2 {
		return nil
	}
	last := len(namespaces) - 1
	return fmt.Errorf("the kustomization %s sets namespace: for objects that have one name in several namespaces, such as %s in %s and %s%s",
		shortPath(dir), name, strings.Join(namespaces[:last], ", "), namespaces[last], rolesHint)
}
