package packaging

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Object is an object of Kubernetes.
type Object = deployment.Object

// Release is what a package says of the operator that it installs.
type Release struct {
	Version string // of the package, without a v, such as 1.2.0
	Image   string // of the operator, with a tag or a digest
}

// Operator is what is packaged.
type Operator struct {
	Release
	Project   *spec.Project
	Namespace string    // that the manifests name
	Objects   []*Object // in the order in which they are applied
	Parts     []Part    // that ReadParts has read
	Samples   []*Object

	root    string  // folder of the project
	dir     string  // of the kustomization
	manager *Object // the Deployment
}

// Part is a component of the project that is not turned on, and adds objects alone.
type Part struct {
	Name    string // of its folder
	Doc     string // what it is, as the comment of its kustomization says
	Objects []*Object
}

// Read renders the kustomization in dir for a release of a project. root is the folder of the project, with its samples.
func Read(root, dir string, p *spec.Project, release Release) (*Operator, error) {
	set := deployment.Image{}
	if release.Image != "" {
		set = deployment.Image{Name: p.Name, Reference: release.Image}
	}
	objects, err := deployment.Render(dir, set)
	if err == nil {
		err = deployment.CheckRoles(root, dir, objects)
	}
	if err != nil {
		return nil, err
	}
	o := &Operator{Release: release, Project: p, Objects: objects, root: root, dir: dir}
	for _, object := range objects {
		if object.GetKind() == "Deployment" && (o.manager == nil || object.GetName() == p.Name+"-controller-manager") {
			o.manager = object
		}
	}
	if o.manager == nil {
		return nil, fmt.Errorf("%s has no Deployment", dir)
	}
	o.Namespace = o.manager.GetNamespace()
	o.Samples, err = readSamples(root)
	return o, err
}

// ReadParts renders the components of the project that its kustomization does not turn on. Only charts have them.
func (o *Operator) ReadParts() error {
	parts, err := readParts(o.root, o.dir, o.Objects)
	if err != nil {
		return err
	}
	for _, part := range parts { // a component above the kustomization is not in the namespace that this one sets
		for _, object := range part.Objects {
			moveNamespace(object.Object, "", o.Project.Name+"-system", o.Namespace)
		}
	}
	o.Parts = parts
	return nil
}

// readParts renders each component of the project together with the kustomization. A component that is turned on there,
// or that changes objects, is not a part.
func readParts(root, dir string, base []*Object) ([]Part, error) {
	var files []string
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		found, err := findFiles(root, "deploy/components/*/"+name)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	var parts []Part
	for _, file := range files {
		with, err := renderWith(dir, filepath.Dir(file))
		if err != nil && strings.Contains(err.Error(), "already registered id") {
			continue // it is turned on, and its objects would be there twice
		}
		if err != nil {
			return nil, err
		}
		more, changes := addedObjects(base, with)
		if changes || len(more) == 0 {
			continue
		}
		doc, err := commentOf(root, path.Join("deploy/components", filepath.Base(filepath.Dir(file)), filepath.Base(file)))
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{Name: filepath.Base(filepath.Dir(file)), Doc: doc, Objects: more})
	}
	return parts, nil
}

// renderWith renders a kustomization with one component more.
func renderWith(dir, component string) ([]*Object, error) {
	temp, err := os.MkdirTemp("", "opgen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	var paths [2]string
	for i, path := range []string{dir, component} {
		if path, err = filepath.Abs(path); err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil {
			paths[i], err = filepath.Rel(temp, path)
		}
		if err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("resources: [%q]\ncomponents: [%q]\n", filepath.ToSlash(paths[0]), filepath.ToSlash(paths[1]))
	if err := os.WriteFile(filepath.Join(temp, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	return deployment.Render(temp, deployment.Image{})
}

// findFiles returns the files of a project that match a pattern below it. The path of the project is no part of the
// pattern: it may contain anything.
func findFiles(root, pattern string) ([]string, error) {
	found, err := fs.Glob(os.DirFS(root), pattern)
	for i, file := range found {
		found[i] = filepath.Join(root, filepath.FromSlash(file))
	}
	return found, err
}

// addedObjects returns the objects that only the second list has, and whether an object of the first one differs there or is
// absent. The image is not compared, since a release sets it.
func addedObjects(base, with []*Object) (more []*Object, changes bool) {
	known := map[string]*Object{}
	for _, object := range base {
		known[nameOf(object)] = withoutImages(object)
	}
	for _, object := range with {
		before, found := known[nameOf(object)]
		delete(known, nameOf(object))
		if !found {
			more = append(more, object)
		} else if fmt.Sprint(before.Object) != fmt.Sprint(withoutImages(object).Object) {
			changes = true
		}
	}
	return more, changes || len(known) > 0
}

func withoutImages(object *Object) *Object {
	containers, found, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	if !found || err != nil {
		return object
	}
	for _, container := range containers {
		if fields, ok := container.(map[string]any); ok {
			delete(fields, "image")
		}
	}
	object = object.DeepCopy()
	_ = unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers") // it is one already
	return object
}

// nameOf returns the kind, namespace and name of an object.
func nameOf(object *Object) string {
	return strings.Join([]string{object.GroupVersionKind().GroupKind().String(), object.GetNamespace(), object.GetName()}, "/")
}

// commentOf returns the comment at the beginning of a file of the project, without that it is generated.
func commentOf(root, file string) (string, error) {
	text, err := tree.ReadFile(root, file)
	if err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		comment, isComment := strings.CutPrefix(line, "#")
		if !isComment {
			break
		}
		if comment = strings.TrimSpace(comment); !strings.HasSuffix(comment, "DO NOT EDIT.") {
			lines = append(lines, comment)
		}
	}
	return strings.Join(lines, " "), nil
}

// readSamples returns the sample objects of the project, in the order of their files.
func readSamples(root string) ([]*Object, error) {
	files, err := findFiles(root, "deploy/samples/*.yaml")
	if err != nil {
		return nil, err
	}
	var samples []*Object
	for _, file := range files {
		found, err := deployment.ReadFile(root, "deploy/samples/"+filepath.Base(file))
		if err != nil {
			return nil, err
		}
		samples = append(samples, found...)
	}
	return slices.DeleteFunc(samples, func(o *Object) bool { return o.GetKind() == "Kustomization" }), nil
}

// ofKind returns the objects of one of some kinds.
func ofKind(objects []*Object, kinds ...string) []*Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o *Object) bool { return !slices.Contains(kinds, o.GetKind()) })
}

// decode fills a typed object of Kubernetes.
func decode(object *Object, into any) error {
	text, err := yaml.Marshal(object.Object)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}
