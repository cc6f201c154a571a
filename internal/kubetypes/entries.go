package kubetypes

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// The entries of the archive that do not hold a type. No name of a type has a dot and no slash before it.
const (
	KindsEntry    = "kinds.json"
	VersionsEntry = "versions.json"
)

//go:embed bundle.zip
var content []byte

// entries maps the name of every entry to it. The archive's directory is read at the first call.
var entries = sync.OnceValue(func() map[string]*zip.File {
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		panic(fmt.Sprintf("kubetypes: embedded archive: %v", err))
	}
	files := make(map[string]*zip.File, len(reader.File))
	for _, f := range reader.File {
		files[f.Name] = f
	}
	return files
})

// read decodes an entry into out. An archive that is damaged is a mistake in the build, so it panics.
func read(f *zip.File, out any) {
	r, err := f.Open()
	if err != nil {
		panic(fmt.Sprintf("kubetypes: %s: %v", f.Name, err))
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(fmt.Sprintf("kubetypes: %s: %v", f.Name, err))
	}
}
