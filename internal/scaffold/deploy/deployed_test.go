package deploy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// deployed is the folder deploy of a project, with overlays beside it.
type deployed struct {
	t     *testing.T
	files filesys.FileSystem
}

const base = `
resources: [zz_generated.namespace.yaml, zz_generated.rbac.yaml, zz_generated.manager.yaml]
`

// deploymentOf returns what opgen writes for an operator, without CRDs.
func deploymentOf(t *testing.T, o Operator) deployed {
	t.Helper()
	d := deployed{t, filesys.MakeFsInMemory()}
	d.write("deploy/kustomization.yaml", base)
	for name, objects := range map[string][]runtime.Object{"namespace": o.NamespaceObjects(), "rbac": o.RBACObjects(), "manager": o.ManagerObjects()} {
		text, err := Marshal(objects...)
		if err != nil {
			t.Fatal(err)
		}
		d.write("deploy/zz_generated."+name+".yaml", string(text))
	}
	for _, component := range o.Components() {
		for _, file := range component.Files() {
			text, err := file.Render()
			if err != nil {
				t.Fatal(err)
			}
			d.write("deploy/"+file.Path, string(text))
		}
	}
	return d
}

// deploymentIn returns the folder deploy of a project on disk.
func deploymentIn(t *testing.T, project string) deployed {
	t.Helper()
	d := deployed{t, filesys.MakeFsInMemory()}
	err := fs.WalkDir(os.DirFS(project), "deploy", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(project, name))
		d.write(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d deployed) write(name, text string) {
	d.t.Helper()
	if err := d.files.WriteFile("/"+name, []byte(text)); err != nil {
		d.t.Fatal(err)
	}
}

// overlay writes a kustomization over deploy, and returns its folder. It is beside deploy: kustomize takes
// an overlay below the kustomization that it changes for a cycle.
func (d deployed) overlay(name, text string) string {
	folder := "overlays/" + name
	d.write(folder+"/kustomization.yaml", "resources: [../../deploy]\n"+text)
	return folder
}

// render returns the objects of a kustomization.
func (d deployed) render(folder string) (objects []*unstructured.Unstructured) {
	d.t.Helper()
	objects, err := d.tryRender(folder)
	if err != nil {
		d.t.Fatal(err)
	}
	return objects
}

func (d deployed) tryRender(folder string) (objects []*unstructured.Unstructured, err error) {
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(d.files, "/"+folder)
	if err != nil {
		return nil, err
	}
	for _, resource := range rendered.Resources() {
		fields, err := resource.Map()
		if err != nil {
			return nil, err
		}
		text, err := (&unstructured.Unstructured{Object: fields}).MarshalJSON()
		if err != nil {
			return nil, err
		}
		object := new(unstructured.Unstructured) // with the numbers that Kubernetes' own functions expect
		if err := object.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// componentsOf returns the components that a folder has, but for one of two that exclude each other.
func (d deployed) componentsOf(without ...string) (folders []string) {
	all, err := d.files.ReadDir("/deploy/components")
	if err != nil || len(all) == 0 {
		d.t.Fatal(all, err)
	}
	for _, name := range all {
		if !slices.Contains(without, name) {
			folders = append(folders, "../../deploy/components/"+name)
		}
	}
	return folders
}

// everything returns the text that turns all components on.
func (d deployed) everything() string {
	return "components: [" + strings.Join(d.componentsOf("api-roles", "service-monitor"), ", ") + "]\n"
}

// operators are those whose objects differ in kind.
func operators(t *testing.T) map[string]Operator {
	apis := []API{{Group: "demo.example.com", Kind: "EchoServer", Plural: "echoservers", HasScale: true}}
	parents := []Kind{{
		Group: "demo.example.com", Plural: "echoservers", Namespaced: true, HasStatus: true,
		Children: []kinds.Child{{Resource: kinds.Resource{Plural: "pods"}}},
	}}
	webhooks := withWebhooks(t, spec.Certificates{From: spec.CertManager}, mutating+validating)
	webhooks.Converts = true
	all := map[string]Operator{
		"cluster":      {Name: "web", Watch: spec.WatchCluster},
		"namespace":    {Name: "web", Watch: spec.WatchNamespace},
		"cert-manager": webhooks,
		"secret":       withWebhooks(t, spec.Certificates{From: spec.CertificateSecret}, mutating+validating+byURL),
		"long name":    {Name: "an-operator-with-the-longest-name-of-all-that-a-project-ma", Watch: spec.WatchCluster},
		"system name":  {Name: "system-web", Watch: spec.WatchCluster},
		"nothing yet":  {Name: "web", Watch: spec.WatchCluster},
	}
	for name, o := range all {
		if name != "nothing yet" {
			o.APIs, o.Kinds, o.Controllers = apis, parents, []Controller{{"echoserver", "demo.example.com"}}
		}
		all[name] = o
	}
	return all
}

// find returns the only object of a kind, or the one whose name ends so.
func find(t *testing.T, objects []*unstructured.Unstructured, kind, suffix string) *unstructured.Unstructured {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == kind && strings.HasSuffix(object.GetName(), suffix) {
			return object
		}
	}
	t.Fatalf("there is no %s with a name that ends in %q", kind, suffix)
	return nil
}

// field returns a field of an object.
func field(t *testing.T, object *unstructured.Unstructured, at ...any) any {
	t.Helper()
	var value any = object.Object
	for _, key := range at {
		switch key := key.(type) {
		case string:
			fields, _ := value.(map[string]any)
			value = fields[key]
		case int:
			items, _ := value.([]any)
			if key >= len(items) {
				t.Fatalf("%s %s has no %v", object.GetKind(), object.GetName(), at)
			}
			value = items[key]
		}
	}
	return value
}
