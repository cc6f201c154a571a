package spec

import (
	"fmt"
	"strconv"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// FormatVersion is the apiVersion of every spec file.
const FormatVersion = "opgen.dev/v1alpha1"

// Watch is where the operator of a project watches its parents.
type Watch string

const (
	// WatchCluster watches every namespace; the operator gets a ClusterRole. It is the default.
	WatchCluster Watch = "cluster"
	// WatchNamespace watches the operator's own namespace; it gets a Role.
	WatchNamespace Watch = "namespace"
)

// Project is opgen.yaml: what all APIs of an operator share.
type Project struct {
	File   string
	Name   string // a DNS label; names the namespace, the Deployment, the field manager
	Module string // the Go module path
	Domain string // the DNS suffix that group names without a dot are completed with
	Watch  Watch
	// WatchNamespaces are the namespaces that an operator with WatchNamespace watches in place of its own; there may be
	// none.
	WatchNamespaces []string
	Multigroup      bool           // api/<group>/<version> instead of api/<version>
	Clients         bool           // typed clients in client/
	At              map[string]Pos // the position of each key, such as name
	// MaxDescLen is the maximum length of descriptions in generated CRDs; if it is negative, there
	// is none.
	MaxDescLen int64
	// HeaderFile is a file of Go comments, relative to the project, with which generated Go files
	// begin; it may be empty.
	HeaderFile string
	// Templates are the folders of the author's templates, in the project or in a module, see
	// InModule.
	Templates []string
	// IgnoreUnexportedFields makes opgen ignore unexported fields of Go types that have a JSON tag.
	// Otherwise they are errors, as JSON never has them.
	IgnoreUnexportedFields bool
	// MakeTargetPrefix is what the targets of the generated makefile begin with; it may be empty.
	MakeTargetPrefix string

	Webhooks Certificates // of the webhook server

	Image Image // of the operator

	Package Package // what charts and bundles say of the operator

	MinKubernetes string // oldest Kubernetes that the CRDs must work on, such as 1.33; the default is DefaultMinKubernetes
}

// CertificatesFrom is where the certificate of the webhook server comes from.
type CertificatesFrom string

const (
	// CertManager has cert-manager make and renew it, and tell the API server who signed it. It is the
	// default.
	CertManager CertificatesFrom = "cert-manager"
	// CertificateSecret takes it from a Secret of the user's own.
	CertificateSecret CertificatesFrom = "secret"
)

// Certificates is where the certificate of the webhook server comes from, and which Secret has it.
type Certificates struct {
	From     CertificatesFrom
	Secret   string // its name; empty: derived from the project's
	CABundle []byte // certificates in PEM that signed it; empty: somebody else tells the API server
}

// Image is what the operator's container image is built from.
type Image struct {
	Base      string     // an image with its digest; empty: the files that opgen has
	Platforms []Platform // nil: DefaultPlatforms
}

// Package is what charts and bundles say of the operator to whoever installs it. Every field may be empty.
type Package struct {
	DisplayName string
	Description string
	URL         string   // of the project
	Provider    string   // who publishes the operator
	Keywords    []string // to be found by
	Maintainers []string // each as in an email: Name <address>
	Icon        string   // a file of the project
}

// Platform is an operating system and an architecture of nodes, such as linux/arm64.
type Platform string

// DefaultPlatforms returns the platforms of images where nobody says others.
func DefaultPlatforms() []Platform { return []Platform{"linux/amd64", "linux/arm64"} }

// Platforms returns the platforms that images can have: those of Kubernetes' nodes.
func Platforms() []Platform {
	return []Platform{"linux/amd64", "linux/arm64", "linux/arm/v7", "linux/ppc64le", "linux/riscv64", "linux/s390x"}
}

// DefaultMinKubernetes is the default of minKubernetes.
const DefaultMinKubernetes = "1.33"

// The oldest and the newest version that minKubernetes can have. CEL rules are stable since 1.29,
// and the API server code that opgen links is 1.37.
const (
	oldestKubernetes = 29
	newestKubernetes = 37
)

// maxProjectName leaves room for the longest name that is derived from a project's name: its
// namespace.
const maxProjectName = 63 - len("-system")

// maxDescription is longer than any description.
const maxDescription = 1 << 20

// KubernetesVersions returns the versions of Kubernetes from oldest to the newest that opgen knows.
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

// CheckMinKubernetes returns an error, with the accepted versions, if minKubernetes cannot have
// this one.
func CheckMinKubernetes(version string) error {
	if match := kubernetesMinor().FindStringSubmatch(version); match != nil {
		if minor, _ := strconv.Atoi(match[1]); minor >= oldestKubernetes && minor <= newestKubernetes {
			return nil
		}
	}
	return fmt.Errorf(`write a version from "1.%d" to "1.%d"`, oldestKubernetes, newestKubernetes)
}
