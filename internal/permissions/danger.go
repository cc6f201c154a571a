package permissions

import "slices"

// danger is what permissions allow beyond the resources that they name.
type danger struct {
	group     string
	resources []string // * stands for each of the group
	verbs     []string
	means     string
}

// reading returns the verbs that show objects.
func reading() []string { return []string{"get", "list", "watch"} }

// writing returns the verbs that decide what is in objects.
func writing() []string { return []string{"create", "update", "patch"} }

// dangers are the permissions that Kubernetes' page "Role Based Access Control Good Practices" names as risks of privilege
// escalation (https://kubernetes.io/docs/concepts/security/rbac-good-practices/), but for the creation of objects without a
// limit. Beyond that page: ways into the Pods of others, nodes, and kinds of the whole cluster.
func dangers() []danger {
	const (
		runs    = "runs programs with any ServiceAccount of the namespace"
		grants  = "grants rights"
		decides = "decides over the objects of others"
		adds    = "adds kinds to the whole cluster"
	)
	return []danger{
		{"", []string{"secrets"}, reading(), "reads passwords and tokens"},
		{"", []string{"pods", "replicationcontrollers"}, writing(), runs},
		{"apps", []string{"deployments", "statefulsets", "daemonsets", "replicasets"}, writing(), runs},
		{"batch", []string{"jobs", "cronjobs"}, writing(), runs},
		{"", []string{"pods/exec", "pods/attach", "pods/ephemeralcontainers"}, append(reading(), writing()...), "runs programs in the Pods of others"},
		{"", []string{"pods/proxy", "services/proxy", "pods/portforward"}, append(reading(), writing()...), "reaches the ports of others' Pods, past network policies"},
		{"", []string{"persistentvolumes"}, []string{"create"}, "reads and writes the files of nodes, by hostPath"},
		{"", []string{"namespaces"}, []string{"update", "patch"}, "lifts the Pod security standards and network policies that select a namespace by its labels"},
		{"", []string{"nodes", "nodes/status"}, []string{"update", "patch"}, "decides which Pods run on a node"},
		{"", []string{"serviceaccounts/token"}, []string{"create"}, "acts as any ServiceAccount"},
		{"", []string{"nodes/proxy"}, append(reading(), writing()...), "runs programs in any Pod of a node, past admission and the audit log"},
		{"", []string{"users", "groups", "serviceaccounts"}, []string{"impersonate"}, "acts as somebody else"},
		{"authentication.k8s.io", []string{"*"}, []string{"impersonate"}, "acts as somebody else"},
		{"rbac.authorization.k8s.io", []string{"*"}, append(writing(), "escalate", "bind"), grants},
		{"admissionregistration.k8s.io", []string{"*"}, append(writing(), "delete"), decides},
		{"apiextensions.k8s.io", []string{"customresourcedefinitions"}, writing(), adds},
		{"apiregistration.k8s.io", []string{"apiservices"}, writing(), adds},
		{"certificates.k8s.io", []string{"certificatesigningrequests/approval", "signers"}, append(writing(), "approve", "sign"), "signs certificates, which grant rights"},
	}
}

// Danger returns what whoever has a permission can do beyond its resource, and "" if that is nothing. A permission
// for one Secret or workload by its name is not dangerous.
func Danger(p Permission) string {
	if p.Verb == "*" || p.Group == "*" || p.Resource == "*" {
		return "covers what is added later, too"
	}
	for _, d := range dangers() {
		named := p.Name != "" && p.Verb != "impersonate" && slices.Contains([]string{"", "apps", "batch"}, p.Group)
		if !named && d.group == p.Group && slices.Contains(d.verbs, p.Verb) &&
			(slices.Contains(d.resources, p.Resource) || d.resources[0] == "*") {
			return d.means
		}
	}
	return ""
}
