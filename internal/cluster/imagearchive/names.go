package imagearchive

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The annotations of an OCI image layout that name an image: the one with the whole name, as containerd and buildkit
// write it, and the standard one, which may be a tag alone.
const (
	nameAnnotation = "io.containerd.image.name"
	refAnnotation  = "org.opencontainers.image.ref.name"
)

// Names returns the names of the images in an archive, each with its tag. It returns an error if it is not an archive
// of images, or has an image without a name.
func Names(r io.Reader) ([]string, error) {
	archive := tar.NewReader(r)
	var names []string
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("this is not an archive of images: %w", err)
		}
		var found []string
		switch strings.TrimPrefix(header.Name, "./") {
		case "manifest.json":
			found, err = dockerNames(archive)
		case "index.json":
			found, err = layoutNames(archive)
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		if len(names) == 0 { // an archive that is both has the same names twice
			names = found
		}
	}
	if len(names) == 0 {
		return nil, errors.New("this archive has no image with a name, neither in an index.json (OCI) nor in a manifest.json (docker save)")
	}
	return names, nil
}

func dockerNames(r io.Reader) ([]string, error) {
	var manifests []dockerManifest
	if err := json.NewDecoder(r).Decode(&manifests); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range manifests {
		names = append(names, m.RepoTags...)
	}
	return names, nil
}

func layoutNames(r io.Reader) ([]string, error) {
	var index struct {
		Manifests []struct{ Annotations map[string]string }
	}
	if err := json.NewDecoder(r).Decode(&index); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range index.Manifests {
		name := m.Annotations[nameAnnotation]
		if name == "" {
			name = m.Annotations[refAnnotation]
		}
		if !strings.Contains(name, ":") { // a tag alone
			continue
		}
		names = append(names, name)
	}
	return names, nil
}
