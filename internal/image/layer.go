package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// entry is a file or a folder in a layer. Its owner is root unless it is the operator's.
type entry struct {
	name        string // without a slash at its beginning; a folder ends in one
	mode        int64
	ofOperator  bool
	content     []byte
	contentFile string // a file on this machine with the content
}

// writeLayer writes a layer into a file, with all times set to the same one.
func writeLayer(file string, entries []entry, at time.Time) (v1.Layer, error) {
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	compressed := gzip.NewWriter(out)
	err = errors.Join(writeEntries(compressed, entries, at), compressed.Close(), out.Close())
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromFile(file, tarball.WithMediaType(types.OCILayer))
}

func writeEntries(w io.Writer, entries []entry, at time.Time) error {
	archive := tar.NewWriter(w)
	for _, e := range entries {
		if err := e.write(archive, at); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return archive.Close()
}

func (e entry) write(archive *tar.Writer, at time.Time) error {
	content, size := io.Reader(bytes.NewReader(e.content)), int64(len(e.content))
	if e.contentFile != "" {
		file, err := os.Open(e.contentFile)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		content, size = file, info.Size()
	}
	header := tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: size, ModTime: at, Format: tar.FormatUSTAR}
	if e.name[len(e.name)-1] == '/' {
		header.Typeflag = tar.TypeDir
	}
	if e.ofOperator {
		header.Uid, header.Gid = operatorID, operatorID
	}
	if err := archive.WriteHeader(&header); err != nil {
		return err
	}
	_, err := io.Copy(archive, content)
	return err
}
