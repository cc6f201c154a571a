package image

import (
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	specs "github.com/opencontainers/image-spec/specs-go/v1"
)

// executable is the path of the operator in its image.
const executable = "/manager"

// labels returns what is known of an image, under the keys of the OCI image specification.
func (p *Plan) labels() map[string]string {
	labels := map[string]string{
		specs.AnnotationTitle:    p.Title,
		specs.AnnotationSource:   sourceOf(p.Module),
		specs.AnnotationRevision: p.Revision,
	}
	if tag := p.Tag.TagStr(); tag != "latest" {
		labels[specs.AnnotationVersion] = tag
	}
	if !p.Created.Equal(epoch) {
		labels[specs.AnnotationCreated] = p.Created.Format(time.RFC3339)
	}
	if p.Base != nil {
		labels[specs.AnnotationBaseImageName] = p.Base.name
		labels[specs.AnnotationBaseImageDigest] = p.Base.digest.DigestStr()
	}
	for key, value := range labels {
		if value == "" {
			delete(labels, key)
		}
	}
	return labels
}

// newImage returns an image for a platform with the layers of a base, if there is one, and layers of its own.
func (p *Plan) newImage(platform v1.Platform, base v1.Image, layers ...v1.Layer) (v1.Image, error) {
	config := v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Variant: platform.Variant,
		Created: v1.Time{Time: p.Created},
		RootFS:  v1.RootFS{Type: "layers"},
		Config:  v1.Config{WorkingDir: "/"},
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if base != nil {
		own, err := base.ConfigFile()
		if err != nil {
			return nil, err
		}
		config.Config.Env, config.Config.WorkingDir, config.OSVersion = own.Config.Env, own.Config.WorkingDir, own.OSVersion
	}
	config.Config.User, config.Config.Entrypoint, config.Config.Labels = operatorUser, []string{executable}, p.labels()
	image, err := mutate.ConfigFile(image, &config)
	if err != nil {
		return nil, err
	}
	added, err := p.addenda(base, layers)
	if err != nil {
		return nil, err
	}
	if image, err = mutate.Append(image, added...); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, p.labels()).(v1.Image), nil
}

// addenda returns the layers of an image, each with a line of its history.
func (p *Plan) addenda(base v1.Image, layers []v1.Layer) ([]mutate.Addendum, error) {
	var added []mutate.Addendum
	add := func(layer v1.Layer, by string) error {
		mediaType, err := layer.MediaType()
		added = append(added, mutate.Addendum{
			Layer: layer, MediaType: ociLayerType(mediaType),
			History: v1.History{Created: v1.Time{Time: p.Created}, CreatedBy: by},
		})
		return err
	}
	if base != nil {
		below, err := base.Layers()
		if err != nil {
			return nil, err
		}
		for _, layer := range below {
			if err := add(layer, p.Base.String()); err != nil {
				return nil, err
			}
		}
	}
	for _, layer := range layers {
		if err := add(layer, "opgen image"); err != nil {
			return nil, err
		}
	}
	return added, nil
}
