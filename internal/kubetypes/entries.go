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

// entry is a file of the archive.
type entry struct {
	*zip.File
	outline func() Type // of the type in it, read at the first call
}

// entries maps the name of every entry to it. The archive's directory is read at the first call.
var entries = sync.OnceValue(func() map[string]entry {
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		panic(fmt.Sprintf("kubetypes: embedded archive: %v", err))
	}
	files := make(map[string]entry, len(reader.File))
	for _, f := range reader.File {
		files[f.Name] = entry{f, sync.OnceValue(func() Type { return readOutline(f) })}
	}
	return files
})

// readOutline reads a type without the schemas below its own.
func readOutline(f *zip.File) Type {
	var t Type
	read(f, &t)
	t.Schema.Properties, t.Schema.Items, t.Schema.AdditionalProperties = nil, nil, nil
	return t
}

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
