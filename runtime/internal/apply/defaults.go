package apply

// defaults are the values that the API server fills in within atomic values of
// Kubernetes' own kinds. Elsewhere a default has a path of its own, which is
// not ours.
var defaults = map[string][]any{
	"apiGroup":          {"rbac.authorization.k8s.io"},                // a RoleBinding's roleRef and subjects
	"apiVersion":        {"v1"},                                       // a fieldRef, a volume claim template
	"divisor":           {"0"},                                        // a resourceFieldRef
	"expirationSeconds": {int64(3600)},                                // a projected service account token
	"kind":              {"PersistentVolumeClaim"},                    // a volume claim template
	"protocol":          {"TCP"},                                      // a NetworkPolicy's port
	"scope":             {"*"},                                        // a rule of a webhook
	"status":            {"True", map[string]any{"phase": "Pending"}}, // a Pod failure policy, a volume claim template
	"volumeMode":        {"Filesystem"},                               // a volume claim template
}

// completes tells whether live is desired, with nothing added but defaults.
func completes(live, desired any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		live, ok := live.(map[string]any)
		if !ok {
			return false
		}
		for name, value := range desired {
			below, ok := live[name]
			if !ok || !completes(below, value) && (value != "" || !isDefault(name, below)) {
				return false
			}
		}
		for name := range live {
			if _, ok := desired[name]; !ok && !isDefault(name, live[name]) {
				return false
			}
		}
		return true
	case []any:
		live, ok := live.([]any)
		if !ok || len(live) != len(desired) {
			return false
		}
		for i, value := range desired {
			if !completes(live[i], value) {
				return false
			}
		}
		return true
	}
	return equal(live, desired)
}

func isDefault(name string, value any) bool {
	for _, known := range defaults[name] {
		if equal(known, value) {
			return true
		}
	}
	return value == nil // creationTimestamp: null
}
