package usertemplates

import (
	"maps"
	"slices"
	"sync"
)

// Values are what a template is rendered over, written {{ .Project.Name }}. The types of this file
// and of values_operators.go are a contract with the authors of templates: a name that is here stays and keeps its meaning.
type Values struct {
	// The project: what opgen.yaml says, and what follows from it.
	Project Project
	// The APIs of the project, by kind, then by group.
	APIs []API
	// The controllers for kinds that exist already, by name.
	Controllers []Controller
}

// apiValues are what a template is rendered over whose path names .API.
type apiValues struct {
	Values
	// The API that the file is for. A template has it if its path names .API or .Version.
	API API
}

// versionValues are what a template is rendered over whose path names .Version.
type versionValues struct {
	apiValues
	// The version that the file is for. A template has it if its path names .Version.
	Version Version
}

// Project is the project.
type Project struct {
	// The name of the project: a DNS label.
	Name string
	// The path of the Go module.
	Module string
	// The DNS suffix of API groups, empty if opgen.yaml has none.
	Domain string
	// Where parents live: cluster or namespace.
	Watch string
	// Whether Go types are in api/GROUP/VERSION.
	Multigroup bool
	// Whether the project has typed clients in client/.
	Clients bool
	// The version of Go that go.mod starts with, such as 1.26.0.
	GoVersion string
	// The versions of Kubernetes that CRDs work on, from minKubernetes to the newest that opgen
	// knows, such as 1.33.
	KubernetesVersions []string
	// The image of the operator in deploy/, such as echo-operator:latest.
	Image string
	// The namespace that the operator runs in.
	Namespace string
	// The name of the Deployment of the operator, and of its ServiceAccount.
	Manager string
	// What the operator may do in a cluster: its ClusterRole first.
	Roles []Role
}

// API is a kind of the project: a file in api/.
type API struct {
	// The group, such as demo.example.com.
	Group string
	// The kind, such as EchoServer.
	Kind string
	// The kind of lists, such as EchoServerList.
	ListKind string
	// The plural, as in the URL of the API.
	Plural string
	// The singular.
	Singular string
	// The short names for kubectl.
	ShortNames []string
	// The categories that kubectl lists the kind in, such as all.
	Categories []string
	// Namespaced or Cluster.
	Scope string
	// The name of the CustomResourceDefinition: PLURAL.GROUP.
	CRDName string
	// The annotations of the CustomResourceDefinition.
	Annotations map[string]any
	// The labels of the CustomResourceDefinition.
	Labels map[string]any
	// The spec file, such as api/echoserver.yaml.
	SpecFile string
	// The sample, such as deploy/samples/demo_v1alpha1_echoserver.yaml.
	SampleFile string
	// The versions, in the order of the spec file.
	Versions []Version
	// The version that objects are stored in, which the operator works on.
	StorageVersion Version
	// The operator of the kind; absent if the kind has none.
	Operator *Operator
}

// Version is a version of an API.
type Version struct {
	// The name, such as v1alpha1.
	Name string
	// The group and the version, such as demo.example.com/v1alpha1.
	APIVersion string
	// What the kind is, from the comment of the version's schema; empty if it has none.
	Description string
	// Whether the API server serves the version.
	Served bool
	// Whether objects are stored in the version.
	Storage bool
	// Whether the version is deprecated.
	Deprecated bool
	// What the API server warns users of a deprecated version with; empty if it says so in its own
	// words.
	DeprecationWarning string
	// The folder of the Go package, such as api/v1alpha1.
	Folder string
	// The import path of the Go package.
	ImportPath string
	// The Go type of the kind.
	GoType string
	// All fields of the spec and the status, and all others of the root: each field
	// is followed by those below it, in the order of the spec file.
	Fields []Field
	// The columns of kubectl get.
	Columns []Column
	// Whether the version has the status subresource.
	HasStatus bool
	// Whether the version has the scale subresource.
	HasScale bool

	sample func() (string, error)
}

// Sample returns a valid object of the version as YAML, as in deploy/samples/.
func (v Version) Sample() (string, error) {
	if v.sample == nil {
		return "", nil
	}
	return v.sample()
}

// withOwnDicts returns the values with copies of their dicts, which functions of templates can change.
func (v Values) withOwnDicts() Values {
	v.APIs = slices.Clone(v.APIs)
	for i, api := range v.APIs {
		v.APIs[i].Annotations, v.APIs[i].Labels = map[string]any{}, map[string]any{}
		maps.Copy(v.APIs[i].Annotations, api.Annotations)
		maps.Copy(v.APIs[i].Labels, api.Labels)
	}
	return v
}

// WithSample returns the version with what makes its sample, which is made once, when a template
// asks for it.
func (v Version) WithSample(sample func() ([]byte, error)) Version {
	v.sample = sync.OnceValues(func() (string, error) {
		text, err := sample()
		return string(text), err
	})
	return v
}

// Field is a field of a schema.
type Field struct {
	// The path from the object, such as spec.ports[].name: [] stands for the items of a list, and {}
	// for the values of a map. Items and values that have limits of their own are listed, too.
	Path string
	// The last name of the path.
	Name string
	// How many fields the field is below: 0 for spec and status.
	Depth int
	// The type in the words of spec files, such as int32, []string or core/v1.PodSpec. The fields of
	// a Kubernetes type or a Go type are not listed.
	Type string
	// The format of a text, such as date-time; empty if it has none.
	Format string
	// Whether an object must have the field, if it has the one that the field is in.
	Required bool
	// Whether null is a value of the field.
	Nullable bool
	// The text of the field's comment; empty if it has none.
	Description string
	// The default as JSON, such as 1 or "Plain"; empty if there is none.
	Default string
	// The only values as JSON; empty if there are others.
	Enum []string
	// The limits of the value.
	Limits []Limit
	// The CEL rules of the field.
	Rules []Rule
}

// Limit is a limit of a value, in the words of spec files.
type Limit struct {
	// The keyword, such as minLength.
	Name string
	// What it limits the value to, such as 63.
	Value string
}

// Rule is a CEL rule.
type Rule struct {
	// The expression.
	Rule string
	// What the API server says of an object that breaks the rule; empty if that is the expression.
	Message string
}

// Column is a column of kubectl get.
type Column struct {
	// The heading.
	Name string
	// The type, such as string or date.
	Type string
	// The JSON path of the value.
	Path string
	// What the column shows; empty if the spec file does not say.
	Description string
	// 0 for a column that is always shown; others are shown with -o wide.
	Priority int
}
