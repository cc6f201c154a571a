package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// archive packs one entry for each type, one for all kinds and one for the versions. It sorts them
// and leaves out times, so that the same input gives the same bytes.
func archive(types map[string]kubetypes.Type, kinds []kubetypes.Kind, versions map[string]string) ([]byte, error) {
	entries := map[string]any{kubetypes.KindsEntry: kinds, kubetypes.VersionsEntry: versions}
	refs := references(types)
	for name, t := range types {
		refs.insertReferencesBelow(&t.Schema, name)
		entries[name] = t
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		text, err := json.Marshal(entries[name])
		if err != nil {
			return nil, err
		}
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
