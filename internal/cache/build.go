package cache

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"sync"
)

// buildIDStart and buildIDEnd enclose Go's build ID, which is near the beginning of executables
// that are not in ELF.
var buildIDStart, buildIDEnd = []byte("\xff Go build ID: \""), []byte("\"\n \xff")

// maxHead is how much of an executable is searched for the build ID.
const maxHead = 64 << 10

// buildID returns the build ID of the running executable. It differs whenever the code does, so
// that two builds never share a record. It is empty for an executable that was built without one.
var buildID = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	return buildIDOf(name)
})

// buildIDOf returns the build ID of an executable, as "go tool buildid" prints it.
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

// buildIDOfELF returns the build ID from the note that Go adds to ELF files. A note consists of the
// size of its name, the size of its content, its type, the name "Go", and the content.
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
