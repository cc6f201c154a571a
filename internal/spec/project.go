package spec

// FormatVersion is the apiVersion of every spec file.
const FormatVersion = "opgen.dev/v1alpha1"

// Watch says where a project's operator looks for parents.
type Watch string

const (
	// WatchCluster watches every namespace; the operator gets a ClusterRole. It is the default.
	WatchCluster Watch = "cluster"
	// WatchNamespace watches the operator's own namespace; it gets a Role.
	WatchNamespace Watch = "namespace"
)

// Project is opgen.yaml: what all APIs of an operator share.
type Project struct {
	File       string
	Name       string // a DNS label; names the namespace, the Deployment, the field manager
	Module     string // the Go module path
	Domain     string // the DNS suffix that group names without a dot are completed with
	Watch      Watch
	Multigroup bool           // api/<group>/<version> instead of api/<version>
	Clients    bool           // typed clients in client/
	At         map[string]Pos // the position of each key, such as name
	// MaxDescLen is how many characters of a description the generated CRDs have at the most; negative: all of them.
	MaxDescLen int64
	// HeaderFile is a file of Go comments, from the project's root, that generated Go files begin with; empty: none.
	HeaderFile string
	// IgnoreUnexportedFields has fields of authors' Go types that are not exported be passed over though they have a tag.
	IgnoreUnexportedFields bool

	MinKubernetes string // oldest Kubernetes that the CRDs must work on, such as 1.33; the default is DefaultMinKubernetes
}

// DefaultMinKubernetes is the oldest Kubernetes that a project supports unless it says otherwise.
const DefaultMinKubernetes = "1.33"
