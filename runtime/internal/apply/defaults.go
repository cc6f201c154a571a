package apply

import "slices"

// defaults are the values that the API server sets within atomic values of Kubernetes' own kinds.
// Elsewhere a default has its own path, which is not ours.
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

// addedTolerations are the tolerations that the admission plugin DefaultTolerationSeconds adds to a
// Pod.
var addedTolerations = []any{
	map[string]any{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)},
	map[string]any{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)},
}

// addsOnlyDefaults reports whether a live value is the desired one with nothing added but defaults.
func addsOnlyDefaults(live, desired any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		live, ok := live.(map[string]any)
		if !ok {
			return false
		}
		for name, value := range desired {
			below, ok := live[name]
			if !ok || !addsOnlyDefaults(below, value) && (value != "" || !isDefault(name, below)) {
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
		if !ok || len(live) < len(desired) || !areDefaultItems(live[len(desired):]) {
			return false
		}
		for i, value := range desired {
			if !addsOnlyDefaults(live[i], value) {
				return false
			}
		}
		return true
	}
	return equalValues(live, desired)
}

// areDefaultItems reports whether the API server adds all of these items to a list.
func areDefaultItems(items []any) bool {
	return !slices.ContainsFunc(items, func(item any) bool {
		return !slices.ContainsFunc(addedTolerations, func(added any) bool { return equalValues(added, item) })
	})
}

// isDefault reports whether the API server sets a field to this value.
func isDefault(name string, value any) bool {
	for _, known := range defaults[name] {
		if equalValues(known, value) {
			return true
		}
	}
	return value == nil // creationTimestamp: null
}
