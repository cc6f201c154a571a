package image

import (
	"bytes"
	"encoding/json"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	specs "github.com/opencontainers/image-spec/specs-go/v1"
)

// sbomType is the media type of the document, and the artifact type by which registries list it.
const sbomType = "application/spdx+json"

// artifact is a file that refers to an image: a manifest with an empty configuration and a subject, as
// the OCI image specification describes it.
type artifact struct {
	manifest []byte
	file     v1.Layer
}

// newArtifact returns a document as an artifact that refers to an index.
func newArtifact(document []byte, index v1.ImageIndex) (v1.Image, error) {
	subject, err := partial.Descriptor(index)
	if err != nil {
		return nil, err
	}
	file := static.NewLayer(document, sbomType)
	layer, err := partial.Descriptor(file)
	if err != nil {
		return nil, err
	}
	layer.Annotations = map[string]string{specs.AnnotationTitle: "sbom.spdx.json"}
	empty := specs.DescriptorEmptyJSON
	config, _, err := v1.SHA256(bytes.NewReader(empty.Data))
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2,
		MediaType:     types.OCIManifestSchema1,
		ArtifactType:  sbomType,
		Config:        v1.Descriptor{MediaType: types.MediaType(empty.MediaType), Size: empty.Size, Digest: config},
		Layers:        []v1.Descriptor{*layer},
		Subject:       &v1.Descriptor{MediaType: subject.MediaType, Size: subject.Size, Digest: subject.Digest},
	})
	if err != nil {
		return nil, err
	}
	return partial.CompressedToImage(artifact{manifest, file})
}

// RawConfigFile returns the empty configuration.
func (a artifact) RawConfigFile() ([]byte, error) { return specs.DescriptorEmptyJSON.Data, nil }

// MediaType returns the media type of the manifest.
func (a artifact) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// RawManifest returns the manifest.
func (a artifact) RawManifest() ([]byte, error) { return a.manifest, nil }

// LayerByDigest returns the file.
func (a artifact) LayerByDigest(digest v1.Hash) (partial.CompressedLayer, error) {
	if config, _, err := v1.SHA256(bytes.NewReader(specs.DescriptorEmptyJSON.Data)); err == nil && config == digest {
		return partial.ConfigLayer(a)
	}
	if own, err := a.file.Digest(); err != nil || own != digest {
		return nil, fmt.Errorf("no layer %s", digest)
	}
	return a.file, nil
}
