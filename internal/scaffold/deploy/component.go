package deploy

import (
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// Component is an optional part of a deployment, as kustomize knows it: it has effect once the author's
// kustomization lists its folder under components.
type Component struct {
	Name    string
	Purpose string // one line for the list of components
	about   string // the comment of its kustomization: what to know before it is turned on
	// objects are added, and patches changed.
	objects, patches []runtime.Object
	// references has names follow the objects that they name.
	references []nameReference
}

// ComponentFile is a file of a component.
type ComponentFile struct {
	Path   string // below deploy
	Render func() ([]byte, error)
}

// kustomization is the part of kustomize's type that components have.
type kustomization struct {
	APIVersion     string           `json:"apiVersion"`
	Kind           string           `json:"kind"`
	Resources      []string         `json:"resources,omitempty"`
	Patches        []patchReference `json:"patches,omitempty"`
	Configurations []string         `json:"configurations,omitempty"`
}

type patchReference struct {
	Path string `json:"path"`
}

// nameReference is kustomize's: which fields hold the name of an object of a kind, which a prefix
// changes.
type nameReference struct {
	Group      string      `json:"group"`
	Kind       string      `json:"kind"`
	FieldSpecs []fieldSpec `json:"fieldSpecs"`
}

type fieldSpec struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Path  string `json:"path"`
}

// Components returns the components of the operator, sorted by name.
func (o Operator) Components() []Component {
	return []Component{
		o.apiRoleComponent(),
		o.aggregatedRoleComponent(),
		o.dashboardComponent(),
		o.networkPolicyComponent(),
		o.alertComponent(),
		o.serviceMonitorComponent(),
		o.verifiedServiceMonitorComponent(),
	}
}

// Folder returns the folder of the component below deploy.
func (c Component) Folder() string { return "components/" + c.Name }

// Files returns the files of the component: its kustomization, and those that it lists. A component
// without objects, such as that of the roles of a project without APIs, has none.
func (c Component) Files() []ComponentFile {
	if len(c.objects) == 0 {
		return nil
	}
	made := kustomization{APIVersion: "kustomize.config.k8s.io/v1alpha1", Kind: "Component"}
	var files []ComponentFile
	add := func(name string, render func() ([]byte, error)) string {
		files = append(files, ComponentFile{path.Join(c.Folder(), name), render})
		return name
	}
	made.Resources = []string{add("zz_generated."+c.Name+".yaml", func() ([]byte, error) { return Marshal(c.objects...) })}
	if len(c.patches) > 0 {
		made.Patches = []patchReference{{add("zz_generated.patch.yaml", func() ([]byte, error) { return marshalPatches(c.patches) })}}
	}
	if len(c.references) > 0 {
		made.Configurations = []string{add("zz_generated.references.yaml", func() ([]byte, error) {
			return yamltext.Marshal(map[string]any{"nameReference": c.references})
		})}
	}
	add("kustomization.yaml", func() ([]byte, error) {
		text, err := yamltext.Marshal(made)
		return append([]byte("# "+strings.ReplaceAll(c.about, "\n", "\n# ")+"\n"), text...), err
	})
	return files
}

// marshalPatches renders objects of which only what is set is patched: Go types write some fields that
// are not.
func marshalPatches(objects []runtime.Object) ([]byte, error) {
	var patches []runtime.Object
	for _, object := range objects {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		set, _ := onlySet(fields).(map[string]any)
		patches = append(patches, &unstructured.Unstructured{Object: set})
	}
	return Marshal(patches...)
}

// onlySet returns a value without null and empty fields; nil if nothing is left.
func onlySet(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			if value[key] = onlySet(field); value[key] == nil {
				delete(value, key)
			}
		}
		if len(value) == 0 {
			return nil
		}
	case []any:
		for i, item := range value {
			value[i] = onlySet(item)
		}
	}
	return value
}
