package spec

// Scope is the scope of a kind.
type Scope string

// The scopes.
const (
	Namespaced Scope = "Namespaced" // the default
	Cluster    Scope = "Cluster"
)

// EmbeddedMetadata is which fields schemas list for the metadata of embedded objects, such as the
// pod template of a Deployment. The API server drops fields that a schema does not list.
type EmbeddedMetadata string

// The values of embeddedMetadata.
const (
	LabelMetadata EmbeddedMetadata = ""     // name, labels and annotations; the default
	AllMetadata   EmbeddedMetadata = "All"  // namespace and finalizers, too
	NoMetadata    EmbeddedMetadata = "None" // none
)

// API is one file of api/: a custom resource and how it is operated.
type API struct {
	Header
	Types    []*NamedType // those of the file itself, in its order
	Versions []Version    // in the order of the file, at least one
	// Annotations and Labels are those of the CRD itself.
	Annotations, Labels map[string]string
	EmbeddedMetadata    EmbeddedMetadata
	MaxNameLength       int // of objects; 0: Kubernetes' own limit
}

// Names are the names of a kind in the CRD. The parser derives Plural, Singular and ListKind from
// Kind if the file has none of its own: EchoServer → echoservers, echoserver, EchoServerList.
// Singular and ListKind are empty if the file sets them to "": the CRD leaves them out, and the API
// server derives them.
type Names struct {
	Pos                              Pos
	Kind, ListKind, Plural, Singular string
	GoKind, GoListKind               string // the Go types: Kind, and ListKind where that can be one
	ShortNames, Categories           []string
}

// Version is one version of an API. Each version has its own schema.
type Version struct {
	Pos              Pos
	Name             string
	Served, Storage  bool
	Deprecated       bool
	Warning          *string // deprecationWarning; nil: the API server's own
	Description      string  // of the kind; empty when the file has none
	Root             *Schema // what the file says of the whole object beside spec and status; nil: nothing
	StandardRoot     bool    // apiVersion, kind and metadata are added to the root, and spec is required if need be
	Spec             *Schema // nil: the kind has no spec
	Status           *Schema // nil: the kind has no status; the standard status is already in it
	StandardStatus   bool    // status has opgen's conditions and observedGeneration
	Subresources     Subresources
	Columns          []Column
	Scale            *Scale
	SelectableFields []string // JSON paths
	// GoTypes is true if the Go types of the version are the author's. Its schema, columns and
	// subresources come from them; the file has no more than its name, served, storage and
	// deprecated. Authored is nil until the types are read.
	GoTypes  bool
	Authored *Authored
}

// Authored has the names in the Go types of a version that the author of the project wrote.
type Authored struct {
	Spec, Status string // types of the package; empty: there is none
	// Conditions and ObservedGeneration are the fields of the status that the runtime writes, empty
	// where it has none; StatusFields are the others.
	Conditions, ObservedGeneration string
	StatusFields                   []string
	// ClientMarkers are the markers of the kind that the generators of typed clients read, such as
	// +genclient.
	ClientMarkers []GoMarker
}

// Subresources are the subresources of a version, except for scale.
type Subresources struct {
	Status bool // objects have the status subresource
	Listed bool // the CRD says so even when there are none: subresources: {}
}

// Column is a column of kubectl get.
type Column struct {
	Pos                 Pos
	Name, Type, Path    string // Type is filled in from the schema when the file leaves it out
	Format, Description string
	Priority            int32
}

// Scale is the scale subresource. Its fields are JSON paths below .spec and .status, such as
// .spec.replicas.
type Scale struct {
	Pos                                         Pos
	SpecReplicas, StatusReplicas, LabelSelector string
}
