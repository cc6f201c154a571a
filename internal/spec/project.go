package spec

import (
	"fmt"
	"strconv"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

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
	// MaxDescLen is how many characters of a description the generated CRDs have at the most;
	// negative: all of them.
	MaxDescLen int64
	// HeaderFile is a file of Go comments, from the project's root, that generated Go files begin
	// with; empty: none.
	HeaderFile string
	// Templates are the folders of the author's own templates: of the project, or of a module, see
	// InModule.
	Templates []string
	// IgnoreUnexportedFields has fields of authors' Go types that are not exported be passed over
	// though they have a tag.
	IgnoreUnexportedFields bool

	MinKubernetes string // oldest Kubernetes that the CRDs must work on, such as 1.33; the default is DefaultMinKubernetes
}

// DefaultMinKubernetes is the oldest Kubernetes that a project supports unless it says otherwise.
const DefaultMinKubernetes = "1.33"

// The oldest and the newest Kubernetes that CRDs can be checked for: CEL rules are stable since
// 1.29, and the API server's own code that opgen links is 1.37.
const (
	oldestKubernetes = 29
	newestKubernetes = 37
)

// maxProjectName leaves room for the longest name that is derived from a project's: its namespace.
const maxProjectName = 63 - len("-system")

// maxDescription is longer than any description.
const maxDescription = 1 << 20

// KubernetesVersions returns the versions of Kubernetes that opgen knows from one on.
func KubernetesVersions(oldest string) []string {
	var versions []string
	for minor := oldestKubernetes; minor <= newestKubernetes; minor++ {
		if version := fmt.Sprintf("1.%d", minor); version == oldest || len(versions) > 0 {
			versions = append(versions, version)
		}
	}
	return versions
}

var kubernetesMinor = lazyregexp.New(`^1\.([1-9][0-9]?)$`)

// CheckMinKubernetes returns which versions may be the oldest Kubernetes that CRDs work on, unless
// this is one.
func CheckMinKubernetes(version string) error {
	if match := kubernetesMinor().FindStringSubmatch(version); match != nil {
		if minor, _ := strconv.Atoi(match[1]); minor >= oldestKubernetes && minor <= newestKubernetes {
			return nil
		}
	}
	return fmt.Errorf(`write a version from "1.%d" to "1.%d"`, oldestKubernetes, newestKubernetes)
}
