package image

import (
	"context"
	"debug/buildinfo"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/opgen-dev/opgen/internal/tree"
)

// Image is an image for several platforms, as Build has made it.
type Image struct {
	Digest    string
	Platforms []PlatformImage
	plan      *Plan
	index     v1.ImageIndex
	sbom      v1.Image // the software bill of materials, as an artifact that refers to the index
}

// PlatformImage is the part of an Image that a node of one platform pulls.
type PlatformImage struct {
	Platform string
	Digest   string
	Size     int64 // of all that is pulled, in bytes
	modules  *buildinfo.BuildInfo
	image    v1.Image
}

// Build builds the image and writes the archive and the software bill of materials. Either both are
// written as a whole, or none is changed. The image can be pushed until Close is called.
func (p *Plan) Build(ctx context.Context) (*Image, error) {
	if err := tree.EmptyFolder(p.Dir, workFolder); err != nil { // of a build that was killed
		return nil, err
	}
	built, err := p.build(ctx)
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return built, nil
}

// Close removes what Build has written beside the results.
func (p *Plan) Close() error { return tree.RemoveFolder(p.Dir, workFolder) }

func (p *Plan) build(ctx context.Context) (*Image, error) {
	bases, layers, err := p.prepareBase(ctx)
	if err != nil {
		return nil, err
	}
	built := &Image{plan: p}
	for _, platform := range p.platform {
		one, err := p.buildPlatform(ctx, platform, bases[platform.String()], layers)
		if err != nil {
			return nil, err
		}
		built.Platforms = append(built.Platforms, *one)
	}
	p.Progress("writing the image")
	index := p.newIndex(built.Platforms)
	digest, err := index.Digest()
	if err != nil {
		return nil, err
	}
	built.index, built.Digest = index, digest.String()
	document, err := p.sbomOf(built)
	if err != nil {
		return nil, err
	}
	if built.sbom, err = newArtifact(document, index); err != nil {
		return nil, err
	}
	return built, p.writeResults(ctx, built, document)
}

// prepareBase returns the images that the operator is put above, by platform, or else the layers of the
// default base.
func (p *Plan) prepareBase(ctx context.Context) (map[string]v1.Image, []v1.Layer, error) {
	if p.Base != nil {
		p.Progress("pulling " + p.Base.String())
		images, err := p.Base.pull(ctx, p.WorkDir(), p.platform)
		return images, nil, err
	}
	layer, err := writeLayer(filepath.Join(p.WorkDir(), "base.tar.gz"), defaultBase(), p.Created)
	return nil, []v1.Layer{layer}, err
}

// buildPlatform compiles the operator for a platform and returns its image.
func (p *Plan) buildPlatform(ctx context.Context, platform v1.Platform, base v1.Image, layers []v1.Layer) (*PlatformImage, error) {
	p.Progress("compiling for " + platform.String())
	file := filepath.Join(p.WorkDir(), strings.ReplaceAll(platform.String(), "/", "_"))
	if err := p.command.compile(ctx, p.Package, platform, file); err != nil {
		return nil, err
	}
	modules, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p.Progress("compressing for " + platform.String())
	layer, err := writeLayer(file+".tar.gz", []entry{{name: executable[1:], mode: 0o755, contentFile: file}}, p.Created)
	if err != nil {
		return nil, err
	}
	image, err := p.newImage(platform, base, append(layers[:len(layers):len(layers)], layer)...)
	if err != nil {
		return nil, err
	}
	digest, err := image.Digest()
	if err != nil {
		return nil, err
	}
	size, err := pulledSize(image)
	return &PlatformImage{platform.String(), digest.String(), size, modules, image}, err
}

// pulledSize returns how many bytes a node pulls of an image.
func pulledSize(image v1.Image) (int64, error) {
	size, err := image.Size()
	if err != nil {
		return 0, err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return 0, err
	}
	size += manifest.Config.Size
	for _, layer := range manifest.Layers {
		size += layer.Size
	}
	return size, nil
}

// newIndex returns the index of the images for all platforms.
func (p *Plan) newIndex(images []PlatformImage) v1.ImageIndex {
	var added []mutate.IndexAddendum
	for i, one := range images {
		added = append(added, mutate.IndexAddendum{Add: one.image, Descriptor: v1.Descriptor{Platform: &p.platform[i]}})
	}
	index := mutate.AppendManifests(empty.Index, added...)
	return mutate.Annotations(index, p.labels()).(v1.ImageIndex)
}

// writeResults writes the archive and the software bill of materials.
func (p *Plan) writeResults(ctx context.Context, built *Image, document []byte) error {
	files, err := layout.Write(filepath.Join(p.WorkDir(), "layout"), empty.Index)
	if err != nil {
		return err
	}
	if err := files.AppendIndex(built.index, layout.WithAnnotations(p.archiveNames())); err != nil {
		return err
	}
	if err := files.AppendImage(built.sbom); err != nil {
		return err
	}
	return p.replaceFiles(ctx, built, files, document)
}
