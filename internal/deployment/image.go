package deployment

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/filters/imagetag"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/opgen-dev/opgen/internal/image"
)

// Image is the image that takes the place of another one. The zero value replaces nothing.
type Image struct {
	Name      string // of the images that are replaced, without tag and digest
	Reference string // with a tag, a digest, or both
}

func (i Image) filter() imagetag.LegacyFilter {
	name, tag, digest := image.SplitReference(i.Reference)
	if tag == "" && digest == "" {
		tag = "latest"
	}
	return imagetag.LegacyFilter{ImageTag: types.Image{Name: i.Name, NewName: name, NewTag: tag, Digest: digest}}
}

// names reports whether one of the references has the name of the image.
func (i Image) names(references []string) bool {
	return slices.ContainsFunc(references, func(reference string) bool {
		repository, _, _ := image.SplitReference(reference)
		return repository == i.Name
	})
}

func (i Image) unused(dir string, found []string) error {
	return fmt.Errorf("the image %s: no container in %s has the image %s, but %s\n    set the image in the kustomization, below images:, instead",
		i.Reference, dir, i.Name, strings.Join(found, ", "))
}

// images returns the images of the containers of all resources, sorted.
func images(resources resmap.ResMap) []string {
	var found []string
	for _, resource := range resources.Resources() {
		content, err := resource.Map()
		if err == nil {
			found = appendImages(found, content)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// appendImages appends the images of lists of containers, at any depth: a custom resource may have
// some, too, and kustomize sets those as well.
func appendImages(found []string, value any) []string {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			list, isList := field.([]any)
			if !isList || key != "containers" && key != "initContainers" {
				found = appendImages(found, field)
				continue
			}
			for _, item := range list {
				container, _ := item.(map[string]any)
				if reference, isText := container["image"].(string); isText {
					found = append(found, reference)
				}
			}
		}
	case []any:
		for _, item := range value {
			found = appendImages(found, item)
		}
	}
	return found
}
