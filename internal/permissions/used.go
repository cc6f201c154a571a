package permissions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Use is a permission that a request of the operator has needed in a test.
type Use struct {
	Verb      string `json:"verb"`
	Group     string `json:"group"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// record is the file that a test with operatortest.Config.Roles leaves in the directory of OPGEN_TEST_REQUESTS.
type record struct {
	Roles string `json:"roles"` // absolute path of the file of roles
	Uses  []Use  `json:"uses"`
}

// ReadUses returns what the tests that ran with a file of roles have recorded in a directory, and how many tests that were.
func ReadUses(dir, roles string) (uses []Use, tests int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, 0, err
	}
	roles, err = filepath.EvalSymlinks(roles)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		var one record
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		if path, err := filepath.EvalSymlinks(one.Roles); err != nil || path != roles {
			continue // of another project
		}
		tests++
		uses = append(uses, one.Uses...)
	}
	return uses, tests, nil
}

// Unused is permissions for one target that no request has needed. With a reason, that is no fault.
type Unused struct {
	Target
	Verbs  []string
	Reason string
	Uses   []string // what the operator needs the verbs for, where the objects are its children
}

// FindUnused returns the permissions of bound roles that no request has needed, those for one target and with one reason
// together.
func FindUnused(roles []Permission, uses []Use) []Unused {
	var all []Unused
	for _, p := range roles {
		if p.Role != "" || slices.ContainsFunc(uses, p.isUsedBy) {
			continue
		}
		why := reasonFor(p, roles)
		i := slices.IndexFunc(all, func(u Unused) bool { return u.Target == p.Target && u.Reason == why })
		if i < 0 {
			i = len(all)
			all = append(all, Unused{Target: p.Target, Reason: why})
		}
		if slices.Contains(all[i].Verbs, p.Verb) {
			continue
		}
		all[i].Verbs = append(all[i].Verbs, p.Verb)
		if use := useOfChild(p, roles); use != "" {
			all[i].Uses = append(all[i].Uses, use)
		}
	}
	return all
}

// isUsedBy reports whether a request has needed a permission.
func (p Permission) isUsedBy(use Use) bool {
	matches := func(allowed, used string) bool { return allowed == used || allowed == "*" }
	return matches(p.Verb, use.Verb) && matches(p.Group, use.Group) && matches(p.Resource, use.Resource) &&
		(p.Name == "" || p.Name == use.Name) && (p.Namespace == "" || p.Namespace == use.Namespace)
}
