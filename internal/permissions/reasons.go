package permissions

import "slices"

// reason says why tests need not use a permission that a deployed operator needs.
type reason struct {
	group, resource string
	verbs           []string
	text            string
}

func reasons() []reason {
	return []reason{
		{"coordination.k8s.io", "leases", []string{"get", "create", "update"}, "for leader election, without which tests run, or for the brake on prunes"},
		{"events.k8s.io", "events", []string{"create", "patch"}, "for Events of what goes wrong, and to count one that repeats"},
		{"authentication.k8s.io", "tokenreviews", []string{"create"}, "for asking who reads the metrics, which tests do not serve"},
		{"authorization.k8s.io", "subjectaccessreviews", []string{"create"}, "for asking who may read the metrics, which tests do not serve"},
	}
}

// reasonFor returns why tests need not use a permission of roles. It is empty if there is none.
func reasonFor(p Permission, roles []Permission) string {
	if p.URL != "" {
		return "for a URL: requests of URLs are not recorded"
	}
	for _, r := range reasons() {
		if r.group == p.Group && r.resource == p.Resource && slices.Contains(r.verbs, p.Verb) {
			return r.text
		}
	}
	if p.Verb == "list" && slices.Contains(roles, Permission{p.Target, "watch"}) {
		return "for filling a cache where the API server does not stream lists"
	}
	if p.Verb == "patch" && isParent(p.Target, roles) {
		return "for removing the finalizer that an earlier version of the operator has set"
	}
	may := func(verb string) bool { return slices.Contains(roles, Permission{p.Target, verb}) }
	switch {
	case p.Verb != "get" || may("create"): // children are read in many ways
	case may("patch"):
		return "for naming who else keeps changing the object"
	case may("delete"):
		return "for seeing whether an object is gone, where its watch is late"
	}
	return ""
}

// useOfChild returns what the operator needs a permission for, if the objects are its children. It is empty if they are not,
// and for a verb that needs no explanation.
func useOfChild(p Permission, roles []Permission) string {
	may := func(verb string) bool { return slices.Contains(roles, Permission{p.Target, verb}) }
	if isParent(p.Target, roles) || !may("create") || !may("patch") {
		return ""
	}
	switch p.Verb {
	case "get":
		return "get reads a child past the cache: test one whose name somebody has taken"
	case "patch":
		return "patch changes a child, and with CreateOnly it restores labels and owner references: test one that has lost a label of the operator's"
	case "delete":
		return "delete removes a child: test one that is not desired any more"
	}
	return ""
}

// isParent reports whether the operator has permissions for parents of the resource.
func isParent(t Target, roles []Permission) bool {
	return slices.ContainsFunc(roles, func(p Permission) bool {
		return p.Namespace == t.Namespace && p.Group == t.Group && (p.Resource == t.Resource+"/finalizers" || p.Resource == t.Resource+"/status")
	})
}
