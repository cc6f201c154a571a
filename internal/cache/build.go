package cache

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"sync"
)

// Go writes its build ID between these, near the beginning of executables that are not in ELF.
var buildIDStart, buildIDEnd = []byte("\xff Go build ID: \""), []byte("\"\n \xff")

// maxHead is how much of an executable is searched for the build ID.
const maxHead = 64 << 10

// buildID returns the build ID of the running executable, which differs whenever its code does. It
// is empty for one that was built without.
var buildID = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	return buildIDOf(name)
})

// buildIDOf returns the build ID of an executable, as go tool buildid does.
func buildIDOf(name string) string {
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	if program, err := elf.NewFile(file); err == nil {
		return buildIDOfELF(program)
	}
	head, err := io.ReadAll(io.NewSectionReader(file, 0, maxHead))
	_, rest, found := bytes.Cut(head, buildIDStart)
	id, _, ended := bytes.Cut(rest, buildIDEnd)
	if err != nil || !found || !ended {
		return ""
	}
	return string(id)
}

// buildIDOfELF returns the build ID in a note: after the sizes of its name and of the build ID, its
// sort, and its name.
func buildIDOfELF(program *elf.File) string {
	const start = 16
	section := program.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	if err != nil || len(note) < start {
		return ""
	}
	size := int64(binary.LittleEndian.Uint32(note[4:]))
	if program.ByteOrder == binary.BigEndian {
		size = int64(binary.BigEndian.Uint32(note[4:]))
	}
	if size > int64(len(note)-start) {
		return ""
	}
	return string(note[start : start+size])
}
