package kubetypes

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// These entries of the archive are not types. They cannot clash with a type, since the name of each
// type has a slash or a dot.
const (
	KindsEntry    = "kinds.json"
	VersionsEntry = "versions.json"
)

//go:embed bundle.zip
var content []byte

// entries are the files of the archive, sorted by name. The archive's directory is read at the
// first call.
var entries = sync.OnceValue(func() []*zip.File {
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		panic(fmt.Sprintf("kubetypes: embedded archive: %v", err))
	}
	return reader.File
})

// outlines maps the name of a type to what Outline has read of it.
var outlines sync.Map

// entryNamed returns the file of the archive with a name, and nil if there is none.
func entryNamed(name string) *zip.File {
	at, found := slices.BinarySearchFunc(entries(), name, func(f *zip.File, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return entries()[at]
}

// readBundle decodes an entry into out. It panics on a damaged archive, which only a broken build
// can have.
func readBundle(f *zip.File, out any) {
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
