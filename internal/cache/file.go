package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// keptFor is how long a record is kept after its last change.
const keptFor = 30 * 24 * time.Hour

// sumSize is how many bytes of the digest of a project's path name its record.
const sumSize = 16

// File is the record of one project.
type File struct {
	path  string // empty if there can be none
	build string // of opgen
}

// Open returns the record of the project in a folder. It is a file in $OPGEN_CACHE, or else in the
// user's cache folder. Without such a folder, or without a build ID, Load finds nothing and Save
// does nothing.
func Open(project string) File {
	root := os.Getenv("OPGEN_CACHE")
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return File{}
		}
		root = filepath.Join(user, "opgen")
	}
	project, err := filepath.Abs(project)
	if err != nil || buildID() == "" {
		return File{}
	}
	sum := sha256.Sum256([]byte(project))
	return File{filepath.Join(root, "projects", hex.EncodeToString(sum[:sumSize])+".json"), buildID()}
}

// header returns the first line of a record: the build ID of opgen and the digest of the content.
func (f File) header(content []byte) []byte {
	sum := sha256.Sum256(content)
	return []byte("opgen " + f.build + " " + hex.EncodeToString(sum[:]) + "\n")
}

// Load decodes the record. It reports false if there is none, or another build of opgen wrote it.
func (f File) Load(into any) bool {
	if f.path == "" {
		return false
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return false
	}
	_, content, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(text, f.header(content)) && json.Unmarshal(content, into) == nil
}

// Save replaces the record. The file is renamed into place, so that readers see the old or the new
// one and never a part.
func (f File) Save(record any) error {
	if f.path == "" {
		return nil
	}
	content, err := json.Marshal(record)
	if err != nil {
		return err
	}
	folder := filepath.Dir(f.path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(f.path); err != nil {
		removeOld(folder, time.Now())
	}
	next, err := os.CreateTemp(folder, "next-")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name())
	_, err = next.Write(append(f.header(content), content...))
	if closed := next.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(next.Name(), f.path)
}

// removeOld removes the records of projects that have not changed for long. Many of these projects
// do not exist any more. Other files in the folder may be somebody's own.
func removeOld(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !isRecord(entry.Name()) {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > keptFor {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// isRecord reports whether a name is that of a record, or of one that was not written to the end.
func isRecord(name string) bool {
	if number, unfinished := strings.CutPrefix(name, "next-"); unfinished {
		_, err := strconv.ParseUint(number, 10, 64)
		return err == nil
	}
	sum, err := hex.DecodeString(strings.TrimSuffix(name, ".json"))
	return err == nil && len(sum) == sumSize && strings.HasSuffix(name, ".json")
}
