package scaffold

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/spec"
)

// LockPath is where a project keeps its Lock.
const LockPath = "opgen.lock"

const lockHeader = `# What opgen generated: the files with their checksums, of which opgen replaces and removes no other, and the kinds
# of children that each API makes, so that none is dropped with its objects left behind.
`

// Lock lists the Generated files of a project, and what they were generated for.
type Lock struct {
	Version  string              `json:"opgen,omitempty"`    // of the opgen that generated them
	Files    map[string]string   `json:"files,omitempty"`    // path → checksum
	Children map[string][]string `json:"children,omitempty"` // Kind.group of an API → Kind.group of its children
}

// ReadLock returns the lock of a tree, an empty one when the tree has none.
func ReadLock(tree fs.FS) (Lock, error) {
	data, err := read(tree, LockPath)
	if data == nil || err != nil {
		return Lock{}, err
	}
	var lock Lock
	if err := yaml.UnmarshalStrict(data, &lock); err != nil {
		return Lock{}, lockProblem("cannot be read as YAML with the keys opgen, files and children")
	}
	for _, path := range slices.Sorted(maps.Keys(lock.Files)) {
		if !fs.ValidPath(path) || !generatedName(path) {
			return Lock{}, lockProblem(fmt.Sprintf("lists %q, which opgen does not generate", path))
		}
	}
	return lock, nil
}

func lockProblem(message string) error {
	return spec.Problems{{
		Pos:     spec.Pos{File: LockPath},
		Message: message,
		Hint:    "restore it from version control, or delete it and generate with --force",
	}}.Err()
}

// lock returns the Lock of a tree that holds exactly the set.
func (s *FileSet) lock() Lock {
	lock := Lock{Version: s.version, Files: map[string]string{}, Children: childKinds(s.apis)}
	for _, f := range s.files {
		if f.Owner == Generated {
			lock.Files[f.Path] = checksum(f.Content)
		}
	}
	return lock
}

// marshal renders the lock: the version, the children, then the files, each sorted.
func (l Lock) marshal() ([]byte, error) {
	out := []byte(lockHeader)
	for _, part := range []Lock{{Version: l.Version}, {Children: l.Children}, {Files: l.Files}} {
		text, err := yaml.Marshal(part)
		if err != nil {
			return nil, err
		}
		if string(text) != "{}\n" {
			out = append(out, text...)
		}
	}
	return out, nil
}

// checksum is the same for either kind of line ending, so that a checkout may convert them.
func checksum(content []byte) string {
	sum := sha256.Sum256(unixLines(content))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func unixLines(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}
