package image

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Base is an image that an author names by its digest, to put the operator above it.
type Base struct {
	digest name.Digest
	name   string // without the digest
}

// String returns the base as its author writes it.
func (b Base) String() string { return b.name + "@" + b.digest.DigestStr() }

// DigestOf asks the registry for the image that a name without a digest stands for now.
func DigestOf(ctx context.Context, text string) (Base, error) {
	ref, err := name.ParseReference(text)
	if err != nil {
		return Base{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	found, err := remote.Head(ref, remoteOptions(ctx)...)
	if err != nil {
		return Base{}, registryError(ref, "read", err)
	}
	return ParseBase(text + "@" + found.Digest.String())
}

// pull returns the image of a base for each platform, with its layers below a folder.
func (b Base) pull(ctx context.Context, dir string, platforms []v1.Platform) (map[string]v1.Image, error) {
	ctx, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()
	found, err := remote.Get(b.digest, remoteOptions(ctx)...)
	if err != nil {
		return nil, registryError(b.digest, "pull", err)
	}
	pulled, err := layout.Write(filepath.Join(dir, "base"), empty.Index)
	if err != nil {
		return nil, err
	}
	images, missing := map[string]v1.Image{}, []error{}
	for _, p := range platforms {
		remote, err := imageFor(found, p)
		if err != nil {
			missing = append(missing, fmt.Errorf("the base image %s: %w", b, err))
			continue
		}
		digest, err := remote.Digest()
		if err != nil {
			return nil, err
		}
		if err := pulled.AppendImage(remote); err != nil {
			return nil, registryError(b.digest, "pull", err)
		}
		if images[p.String()], err = pulled.Image(digest); err != nil {
			return nil, err
		}
	}
	return images, errors.Join(missing...)
}

// imageFor returns the image for a platform of what a registry has under a digest.
func imageFor(found *remote.Descriptor, p v1.Platform) (v1.Image, error) {
	if !found.MediaType.IsIndex() {
		image, err := found.Image()
		if err != nil {
			return nil, err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		if has := config.Platform(); has == nil || !has.Satisfies(p) {
			return nil, fmt.Errorf("is not for %s: it is for %s alone", p, has)
		}
		return image, nil
	}
	index, err := found.ImageIndex()
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var has []string
	for _, m := range manifest.Manifests {
		if m.Platform == nil || m.Platform.OS == "unknown" {
			continue
		}
		if m.Platform.Satisfies(p) {
			return index.Image(m.Digest)
		}
		has = append(has, m.Platform.String())
	}
	return nil, fmt.Errorf("is not for %s: it is for %s", p, strings.Join(has, ", "))
}

// ociLayerType returns the media type of a layer in an OCI image. The layers of Docker's images have the
// same content under another type.
func ociLayerType(of types.MediaType) types.MediaType {
	switch of {
	case types.DockerLayer:
		return types.OCILayer
	case types.DockerUncompressedLayer:
		return types.OCIUncompressedLayer
	}
	return of
}
