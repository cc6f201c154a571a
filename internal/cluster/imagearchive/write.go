// Package imagearchive reads and writes images in tar archives: it writes images of one static program in the format
// of docker save, and reads the names of the images in an archive of that format or of an OCI image layout.
package imagearchive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"runtime"
)

// Program is an image that has one static program and nothing else.
type Program struct {
	Name string // of the image, with its tag
	Path string // of the program in the image, such as /pause
	Data []byte // of the program
	User string // such as 65532:65532
}

// dockerManifest is an entry of manifest.json in an archive of docker save.
type dockerManifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Write writes the archive. Equal programs give equal archives.
func (p Program) Write(w io.Writer) error {
	var layer bytes.Buffer
	if err := writeFiles(&layer, file{p.Path[1:], p.Data, 0o755}); err != nil {
		return err
	}
	digest := sha256.Sum256(layer.Bytes())
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           runtime.GOOS,
		"config":       map[string]any{"Entrypoint": []string{p.Path}, "User": p.User},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(digest[:])}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]dockerManifest{{Config: "config.json", RepoTags: []string{p.Name}, Layers: []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	return writeFiles(w, file{"layer.tar", layer.Bytes(), 0o644}, file{"config.json", config, 0o644}, file{"manifest.json", manifest, 0o644})
}

type file struct {
	name string
	data []byte
	mode int64
}

func writeFiles(w io.Writer, files ...file) error {
	archive := tar.NewWriter(w)
	for _, f := range files {
		if err := archive.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.data)), Mode: f.mode, Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}
