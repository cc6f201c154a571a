package deployment

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/opgen-dev/opgen/internal/tree"
)

// Render renders the kustomization in a folder, as kubectl kustomize does. It returns the objects in
// the order in which they are applied: namespaces and CRDs first, webhook configurations last.
//
// image takes the place of images that have its name. No container with such an image is an error, and so is a
// kustomization that names a URL or a repository.
func Render(dir string, image Image) ([]*Object, error) {
	files := newLocalFiles()
	objects, err := renderFrom(files, dir, image)
	if len(files.problems) > 0 {
		return nil, slices.Compact(files.problems.Sorted()).Err()
	}
	return objects, err
}

// RenderRemote renders as Render does, and loads what the kustomization names from the network.
func RenderRemote(dir string, image Image) ([]*Object, error) {
	return renderFrom(filesys.MakeFsOnDisk(), dir, image)
}

func renderFrom(files filesys.FileSystem, dir string, image Image) ([]*Object, error) {
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy
	resources, err := krusty.MakeKustomizer(options).Run(files, dir)
	if err != nil {
		if conflict := namespaceConflict(dir, err); conflict != nil {
			return nil, conflict
		}
		return nil, fmt.Errorf("render %s: %w", dir, err)
	}
	if image != (Image{}) {
		before := images(resources)
		if err := resources.ApplyFilter(image.filter()); err != nil {
			return nil, fmt.Errorf("set the image in %s: %w", dir, err)
		}
		if !image.names(before) {
			return nil, image.unused(dir, before)
		}
	}
	var objects []*Object
	for _, resource := range resources.Resources() {
		object := new(Object)
		content, err := resource.MarshalJSON()
		if err == nil {
			err = object.UnmarshalJSON(content)
		}
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", dir, err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// ReadFile returns the objects of a manifest of the project in dir. A file that does not exist has none.
func ReadFile(dir, file string) ([]*Object, error) {
	data, err := tree.ReadFile(dir, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var objects []*Object
	for document := range strings.SplitSeq("\n"+string(data), "\n---\n") {
		object := new(Object)
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
	return objects, nil
}
