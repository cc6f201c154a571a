package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	specs "github.com/opencontainers/image-spec/specs-go/v1"
)

// containerdName is the annotation from which containerd and Docker take the name of an image.
const containerdName = "io.containerd.image.name"

// archiveNames returns the annotations that name the image in its archive, as BuildKit sets them.
func (p *Plan) archiveNames() map[string]string {
	return map[string]string{
		containerdName:          canonicalName(p.Tag.Name()),
		specs.AnnotationRefName: p.Tag.TagStr(),
	}
}

// dockerManifest is an image in manifest.json, where Docker looks that does not keep its images in
// containerd. It reads one platform: the first one.
type dockerManifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func (p *Plan) dockerManifest(built *Image) ([]byte, error) {
	manifest, err := built.Platforms[0].image.Manifest()
	if err != nil {
		return nil, err
	}
	m := dockerManifest{Config: "blobs/sha256/" + manifest.Config.Digest.Hex, RepoTags: []string{canonicalName(p.Tag.Name())}}
	for _, layer := range manifest.Layers {
		m.Layers = append(m.Layers, "blobs/sha256/"+layer.Digest.Hex)
	}
	return json.Marshal([]dockerManifest{m})
}

// replaceFiles writes the archive and the document into new files, and then puts both into their places.
func (p *Plan) replaceFiles(ctx context.Context, built *Image, files layout.Path, document []byte) error {
	docker, err := p.dockerManifest(built)
	if err != nil {
		return err
	}
	if err := files.WriteFile("manifest.json", docker, 0o644); err != nil {
		return err
	}
	archive, err := writeNewFile(p.Archive, func(w io.Writer) error { return p.tarFolder(ctx, w, string(files)) })
	if err != nil {
		return err
	}
	defer os.Remove(archive) // unless it is renamed
	sbom, err := writeNewFile(p.SBOMFile(), func(w io.Writer) error {
		_, err := w.Write(document)
		return err
	})
	if err != nil {
		return err
	}
	defer os.Remove(sbom)
	return errors.Join(os.Rename(sbom, p.SBOMFile()), os.Rename(archive, p.Archive))
}

// writeNewFile writes a file beside the one that it will replace, and returns its name.
func writeNewFile(replaced string, write func(io.Writer) error) (string, error) {
	dir, base := filepath.Split(replaced)
	if err := os.MkdirAll(filepath.Clean(dir), 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "."+base+".tmp")
	_ = os.Remove(name) // of a build that was killed
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		_ = os.Remove(name)
		return "", fmt.Errorf("%s: %w", replaced, err)
	}
	return name, nil
}

// tarFolder writes the files of a folder, sorted by their names.
func (p *Plan) tarFolder(ctx context.Context, w io.Writer, dir string) error {
	var entries []entry
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); d.IsDir() {
			entries = append(entries, entry{name: name + "/", mode: 0o755})
		} else {
			entries = append(entries, entry{name: name, mode: 0o644, contentFile: path})
		}
		return err
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	return writeEntries(w, entries, p.Created)
}
