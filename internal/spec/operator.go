package spec

import (
	"slices"
	"time"
)

// Operator says what a controller does with its parents: those of an API, or those of a controller
// for kinds that exist already.
type Operator struct {
	Pos      Pos
	Children []Child
	Related  []Related
	Finalize bool
	Teardown Teardown
	Retries  int           // failed reconciles in a row before a parent is left alone; 0: no limit
	Timeout  time.Duration // of one Sync or Finalize; 0: the runtime's own
	RBAC     []PolicyRule  // for side effects, beside what children need
	// ForbidPause and ForbidDisconnect take their effect from the annotations by which users
	// suspend a parent.
	ForbidPause, ForbidDisconnect bool
}

// Teardown says how the children of a parent go that is deleted.
type Teardown string

// The ways that children go with their parent.
const (
	TeardownTogether Teardown = "together" // the garbage collector deletes them; the default
	TeardownOrdered  Teardown = "ordered"  // in the order that Finalize asks for, or else kind by kind, the last first
)

// Resource names a kind of objects. What Kubernetes or the project defines is known by APIVersion
// and Kind; another kind says the rest.
type Resource struct {
	Pos        Pos
	APIVersion string
	Kind       string
	Plural     string // resource name; empty: known from kubetypes
	Scope      Scope  // empty: known from kubetypes
	GoType     string // import/path.Type; empty: known from kubetypes, or unstructured
	As         string // the Go field name of the objects: the plural of Kind unless the file sets it
}

// Child is a kind of children.
type Child struct {
	Resource
	Update        Update
	Adopt         Adopt
	PruneOnly     bool           // Sync no longer returns children of the kind; those that exist are pruned
	Optional      bool           // the CRD of the kind may be absent
	WhenDropped   DeletionPolicy // when Sync no longer returns the child
	WhenDeleted   DeletionPolicy // when the parent is deleted
	WhenImmutable WhenImmutable
	ReadyWhen     Expression // over self, the child; without text: ready as the kind usually is
	Cache         Cache
	// Namespaces are those that children lie in beside their parent's, and the only ones for a
	// parent in no namespace; or AllNamespaces alone. Nil: the parent's, or all where it has none.
	Namespaces []string
	// ForbidDisconnect keeps children from being orphaned by the annotation of a user.
	ForbidDisconnect bool
}

// ListsNamespaces reports whether the file lists the namespaces of the children.
func (c *Child) ListsNamespaces() bool {
	return len(c.Namespaces) > 0 && !slices.Contains(c.Namespaces, AllNamespaces)
}

// Related is a kind of objects that Sync reads and never owns, and which of them. At most one of
// Name, NameFrom, Selector, SelectorFrom and Dynamic is set; without any these are all.
type Related struct {
	Resource
	Name         string
	NameFrom     string // a path in the parent to a name or a list of names
	Selector     string // in kubectl's syntax
	SelectorFrom string // a path in the parent to a label selector or a map of labels
	Dynamic      bool   // the author's Related method says which
	// Namespaces are those that the objects lie in: nil for the parent's own, or all where the
	// parent has none; or AllNamespaces alone.
	Namespaces     []string
	NamespacesFrom string // a path in the parent to a namespace or a list of namespaces
	Cache          Cache
	Access         Access
	Optional       bool // the CRD of the kind may be absent
}

// MayBeAnywhere reports whether the objects may lie in every namespace, for parents that lie in one
// or in none.
func (r *Related) MayBeAnywhere(namespacedParents bool) bool {
	if r.NamespacesFrom != "" {
		return false
	}
	return slices.Contains(r.Namespaces, AllNamespaces) || len(r.Namespaces) == 0 && !namespacedParents
}

// AllNamespaces is what the namespaces of a child or of related objects have, alone, for every
// namespace.
const AllNamespaces = "*"

// Update says how a change of desired reaches a child that exists.
type Update string

// The update strategies.
const (
	InPlace         Update = "InPlace"         // applied to the object; the default
	Recreate        Update = "Recreate"        // the object is deleted and created again
	OnDelete        Update = "OnDelete"        // reaches it when somebody deletes it
	CreateOnly      Update = "CreateOnly"      // never reaches it
	RollingInPlace  Update = "RollingInPlace"  // as InPlace, one child at a time
	RollingRecreate Update = "RollingRecreate" // as Recreate, one child at a time
)

// Adopt says what to do about an object that has the name of a child and is not the parent's.
type Adopt string

// The adoption policies.
const (
	AdoptNever     Adopt = "Never"     // it is left alone, and the parent is not ready; the default
	AdoptIfUnowned Adopt = "IfUnowned" // it becomes a child unless another object controls it
	AdoptForce     Adopt = "Force"     // it becomes a child
)

// DeletionPolicy says what happens to a child that is not desired any more.
type DeletionPolicy string

// The deletion policies.
const (
	Delete DeletionPolicy = "Delete" // it is deleted; the default
	Orphan DeletionPolicy = "Orphan" // it stays, without an owner
)

// WhenImmutable says what to do when the API server refuses a change because a field of the child
// cannot change.
type WhenImmutable string

// What happens to a child with an immutable field that should change.
const (
	FailIfImmutable     WhenImmutable = "Fail"     // the parent is not ready; the default
	RecreateIfImmutable WhenImmutable = "Recreate" // the child is deleted and created again
)

// Cache says how much of children or related objects an operator keeps in memory.
type Cache string

// The caches.
const (
	CacheFull     Cache = "full"     // whole objects; the default
	CacheMetadata Cache = "metadata" // their metadata alone
)

// Access says how an operator gets at related objects.
type Access string

// The ways to get at related objects.
const (
	AccessWatch Access = "watch" // their changes cause reconciles, which read from memory; the default
	AccessGet   Access = "get"   // each reconcile reads them by their names
)

// PolicyRule is one rule of the operator's role, as in rbac.authorization.k8s.io/v1.
type PolicyRule struct {
	APIGroups, Resources, Verbs, ResourceNames, NonResourceURLs []string
	// Namespace and RoleName say in which role the rule is, in comments of Go code: empty where the
	// operator's watch decides.
	Namespace, RoleName string
}
