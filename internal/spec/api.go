package spec

// Scope is the scope of a kind.
type Scope string

// The scopes.
const (
	Namespaced Scope = "Namespaced" // the default
	Cluster    Scope = "Cluster"
)

// API is one file of api/: a custom resource and how it is operated.
type API struct {
	File     string
	Pos      Pos
	Group    string
	Names    Names
	Scope    Scope
	Versions []Version // in the order of the file, at least one
	Operator *Operator // nil: the kind has no controller
	// At has the position of each key outside of the schemas by its path, such as group, names.plural,
	// versions[0].columns[1].path or operator.children[0].kind.
	At map[string]Pos
}

// Names are the names of a kind as the CRD has them. Plural, Singular and ListKind are filled in when the
// file leaves them out.
type Names struct {
	Pos                              Pos
	Kind, ListKind, Plural, Singular string
	ShortNames, Categories           []string
}

// Version is one version of an API, each with a schema of its own.
type Version struct {
	Pos              Pos
	Name             string
	Served, Storage  bool
	Description      string  // of the kind; empty when the file has none
	Spec             *Schema // nil: the kind has no spec
	Status           *Schema // nil: the kind has no status; the standard status is already in it
	StandardStatus   bool    // status has opgen's conditions and observedGeneration
	Columns          []Column
	Scale            *Scale
	SelectableFields []string // JSON paths
}

// Column is a column of kubectl get.
type Column struct {
	Pos                 Pos
	Name, Type, Path    string // Type is filled in from the schema when the file leaves it out
	Format, Description string
	Priority            int32
}

// Scale is the scale subresource; its fields are JSON paths below .spec and .status.
type Scale struct {
	Pos                                         Pos
	SpecReplicas, StatusReplicas, LabelSelector string
}

// Update says how a change of desired reaches a child that exists.
type Update string

// The update strategies.
const (
	InPlace    Update = "InPlace"    // applied to the object; the default
	Recreate   Update = "Recreate"   // the object is deleted and made anew
	OnDelete   Update = "OnDelete"   // reaches it when somebody deletes it
	CreateOnly Update = "CreateOnly" // never reaches it
)

// DeletionPolicy says what happens to a child that nobody wants any more.
type DeletionPolicy string

// Delete removes the child; it is the default and, so far, the only policy.
const Delete DeletionPolicy = "Delete"

// Operator says what the controller of a kind does.
type Operator struct {
	Pos      Pos
	Children []Child
	Finalize bool
	RBAC     []PolicyRule // for side effects, beside what children need
}

// Child is a kind of children.
type Child struct {
	Pos         Pos
	APIVersion  string
	Kind        string
	Plural      string // resource name; empty: known from kubetypes
	Scope       Scope  // empty: known from kubetypes
	GoType      string // import/path.Type; empty: known from kubetypes, or unstructured
	As          string // the Go field name of the children: the plural of Kind unless the file sets it
	Update      Update
	Retired     bool           // no longer made; kept so that old ones are pruned
	WhenDropped DeletionPolicy // when Sync no longer wants the child
	WhenDeleted DeletionPolicy // when the parent is deleted
}

// PolicyRule is one rule of the operator's role, as in rbac.authorization.k8s.io/v1.
type PolicyRule struct {
	APIGroups, Resources, Verbs, ResourceNames, NonResourceURLs []string
}
