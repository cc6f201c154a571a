package usertemplates

// Operator is what operates a kind of the project.
type Operator struct {
	// The name of the controller in its metrics (the label controller), logs and spans.
	ControllerName string
	// The folder of its Go package, with sync.go.
	Folder string
	// The kinds of children, in the order of the spec file.
	Children []Child
	// The kinds of related objects, in the order of the spec file.
	Related []Resource
	// Whether Finalize is implemented.
	Finalize bool
}

// Controller is a controller for kinds that exist already: a file in controllers/.
type Controller struct {
	// The name, such as service-per-pod.
	Name string
	// The name of the controller in its metrics (the label controller), logs and spans.
	ControllerName string
	// The spec file, such as controllers/service-per-pod.yaml.
	SpecFile string
	// The folder of its Go package, with sync.go.
	Folder string
	// The kinds of parents, in the order of the spec file.
	Parents []Resource
	// The kinds of children, in the order of the spec file.
	Children []Child
	// The kinds of related objects, in the order of the spec file.
	Related []Resource
	// Whether Finalize is implemented.
	Finalize bool
}

// Resource is a kind of objects that the project names: of parents, children or related objects.
type Resource struct {
	// The group; empty for the core group.
	Group string
	// The version, such as v1.
	Version string
	// The group and the version, such as apps/v1.
	APIVersion string
	// The kind.
	Kind string
	// The plural, as in the URL of the API.
	Plural string
	// Namespaced or Cluster.
	Scope string
}

// Child is a kind of children, and how the operator treats them.
type Child struct {
	Resource
	// How changes reach a child that exists, such as InPlace.
	Update string
	// What happens to a child that Sync no longer returns: Delete or Orphan.
	WhenDropped string
	// What happens to a child when its parent is deleted: Delete or Orphan.
	WhenDeleted string
	// Whether Sync no longer returns such children, and those that exist are pruned.
	PruneOnly bool
}

// Role is a role of the operator, as in deploy/zz_generated.rbac.yaml.
type Role struct {
	// ClusterRole or Role.
	Kind string
	// The name.
	Name string
	// The namespace of a Role.
	Namespace string
	// What the role allows.
	Rules []PolicyRule
}

// PolicyRule is a rule of a role.
type PolicyRule struct {
	// The API groups; "" is the core group.
	APIGroups []string
	// The plurals of kinds.
	Resources []string
	// The names of the only objects; none for all.
	ResourceNames []string
	// The verbs, such as get.
	Verbs []string
	// Paths of the API server that are no objects, such as /metrics.
	NonResourceURLs []string
}
