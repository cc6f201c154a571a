package spec

import (
	"slices"
	"time"
)

// Operator is how a controller treats its parents and their children. It belongs to an API, or to a
// Controller.
type Operator struct {
	Pos      Pos
	Children []Child
	Related  []Related
	Finalize bool
	Teardown Teardown
	Retries  int           // failed reconciles in a row before a parent is left alone; 0: no limit
	Timeout  time.Duration // of one Sync or Finalize; 0: the runtime's own
	RBAC     []PolicyRule  // for side effects, beside what children need
	Workers  int           // parents that are reconciled at once; 0: as the command line says
	Metrics  []Metric      // from the status of the parents
	// ForbidPause and ForbidDisconnect disable the annotations by which users suspend a parent.
	ForbidPause, ForbidDisconnect bool
	TakeOverFrom                  []string // field managers of the operator that this one replaces
}

// HasUnreferencedChildren reports whether no child carries an owner reference to its parent: the children go in an
// order, or a deletion with --cascade=orphan must not keep them.
func (o *Operator) HasUnreferencedChildren() bool {
	return o.Teardown == TeardownOrdered || o.ForbidDisconnect
}

// Metric is a gauge that shows a field of the status of each parent.
type Metric struct {
	Pos              Pos
	Name, Path, Help string
}

// Teardown is how the children of a deleted parent are deleted.
type Teardown string

// The values of teardown.
const (
	TeardownTogether Teardown = "together" // the garbage collector deletes them; the default
	TeardownOrdered  Teardown = "ordered"  // in the order that Finalize asks for, or else kind by kind, the last first
)

// Resource identifies a kind of objects. For kinds of Kubernetes and of the project, APIVersion and
// Kind are enough; other kinds need the other fields.
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
	WhenRecreated WhenRecreated
	// MaxUnavailable is how many children a rolling update lets be down at a time: a number or a
	// percentage; empty: one.
	MaxUnavailable string
	InPlace        []string   // paths of labels and annotations that are applied at once
	Evict          bool       // Pods are evicted to recreate them
	HandOver       []string   // paths of fields that a child keeps when Sync leaves them out
	ReadyWhen      Expression // over self, the child; without text: ready as the kind usually is
	FinishedWhen   Expression // the same for finished
	History        *History   // of children that Sync no longer returns; nil: they are pruned
	Cache          Cache
	// Namespaces are the namespaces of children in addition to that of their parent. A
	// cluster-scoped parent can have children only in these. AllNamespaces alone means every
	// namespace. Nil means the namespace of the parent, or all for a cluster-scoped parent.
	Namespaces []string
	// ForbidDisconnect disables the annotation by which users orphan the children.
	ForbidDisconnect bool
	// NotPartOfReady lets the parent be ready whether the children are or not.
	NotPartOfReady bool
	// KeepDesired keeps what is desired of each child in an annotation.
	KeepDesired bool
}

// History is how many finished children stay that Sync no longer returns.
type History struct {
	Succeeded, Failed int
}

// ListsNamespaces reports whether the file lists the namespaces of the children.
func (c *Child) ListsNamespaces() bool {
	return len(c.Namespaces) > 0 && !slices.Contains(c.Namespaces, AllNamespaces)
}

// Related is a kind of objects that Sync reads but does not own, and which of them. At most one of
// Name, NameFrom, Selector, SelectorFrom, Match, OfChild and Dynamic is set, but Selector goes with Match
// and OfChild. If none is, all objects are related.
type Related struct {
	Resource
	Name         string
	NameFrom     string            // a path in the parent to a name or a list of names
	Selector     string            // in kubectl's syntax
	SelectorFrom string            // a path in the parent to a label selector or a map of labels
	Match        map[string]string // a path in an object → the path in the parent to the same value
	From         string            // the As of another entry: paths lead into its objects in place of the parent
	OfChild      string            // the As of an entry of children, which control the objects
	Dynamic      bool              // the author's Related method says which
	// Namespaces are the namespaces of the objects. AllNamespaces alone means every namespace. Nil
	// means the namespace of the parent, or all for a cluster-scoped parent.
	Namespaces     []string
	NamespacesFrom string // a path in the parent to a namespace or a list of namespaces
	Cache          Cache
	Access         Access
	Delete         bool // Sync may have the objects deleted
	Patch          bool // Sync may set fields of the objects
	Optional       bool // the CRD of the kind may be absent
}

// MayBeAnywhere reports whether the objects may be in any namespace, for parents that are
// namespaced or cluster-scoped.
func (r *Related) MayBeAnywhere(namespacedParents bool) bool {
	if r.NamespacesFrom != "" {
		return false
	}
	return slices.Contains(r.Namespaces, AllNamespaces) || len(r.Namespaces) == 0 && !namespacedParents
}

// AllNamespaces as the only namespace of children or related objects means every namespace.
const AllNamespaces = "*"

// Update is how a change of the desired state reaches an existing child.
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

// Adopt is what happens to an object that has the name of a child and does not belong to the
// parent.
type Adopt string

// The adoption policies.
const (
	AdoptNever     Adopt = "Never"     // it is left alone, and the parent is not ready; the default
	AdoptIfUnowned Adopt = "IfUnowned" // it becomes a child unless another object controls it
	AdoptForce     Adopt = "Force"     // it becomes a child
	AdoptAsItIs    Adopt = "AsItIs"    // as AdoptIfUnowned; each field stays until it is desired otherwise
)

// DeletionPolicy is what happens to a child that is no longer desired, or whose parent is deleted.
type DeletionPolicy string

// The deletion policies.
const (
	Delete DeletionPolicy = "Delete" // it is deleted; the default
	Orphan DeletionPolicy = "Orphan" // it stays, without an owner
)

// WhenImmutable is what happens when the API server refuses a change because a field is immutable.
type WhenImmutable string

// The values of whenImmutable.
const (
	FailIfImmutable     WhenImmutable = "Fail"     // the parent is not ready; the default
	RecreateIfImmutable WhenImmutable = "Recreate" // the child is deleted and created again
)

// WhenRecreated is what happens to the dependents of a child that is deleted and created again.
type WhenRecreated string

// The values of whenRecreated.
const (
	DeleteDependents WhenRecreated = "DeleteDependents" // they are deleted; the default
	OrphanDependents WhenRecreated = "OrphanDependents" // they stay, and the new child adopts them
)

// Cache is how much of children or related objects an operator keeps in memory.
type Cache string

// The caches.
const (
	CacheFull     Cache = "full"     // whole objects; the default
	CacheMetadata Cache = "metadata" // their metadata alone
)

// Access is how an operator reads related objects.
type Access string

// The values of access.
const (
	AccessWatch Access = "watch" // their changes cause reconciles, which read from memory; the default
	AccessGet   Access = "get"   // each reconcile reads them by their names
)

// PolicyRule is one rule of the operator's role, as in rbac.authorization.k8s.io/v1.
type PolicyRule struct {
	APIGroups, Resources, Verbs, ResourceNames, NonResourceURLs []string
	// Namespace and RoleName are those of the role with the rule, from comments in Go code. Both
	// are empty if the watch of the operator decides.
	Namespace, RoleName string
}
