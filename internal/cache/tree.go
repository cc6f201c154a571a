package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/opgen-dev/opgen/internal/parallel"
)

// Tree is a tree of files that notes every question about it together with the answer. For example,
// "content of opgen.yaml" is a question, and its answer is a digest. It is safe for concurrent use.
type Tree struct {
	fs.FS
	mu       sync.Mutex
	seen     map[question]string
	contents map[string][]byte // of files; Seen computes their digests, so that a run that asks for none pays nothing
	// unknown is set by a question whose answer cannot be noted.
	unknown bool
}

// question is one way of looking at one path.
type question struct {
	Ask  ask    `json:"ask"`
	Path string `json:"path"`
}

// ask is a way of looking at a path.
type ask string

const (
	askContent  ask = "content" // of a file
	askListing  ask = "listing" // of a folder
	askFileType ask = "type"    // whether there is a file or a folder, behind symbolic links
	askOwn      ask = "own"     // the same, of the symbolic link itself
	askTarget   ask = "target"  // of a symbolic link
)

// Answer is the answer of a tree to one question.
type Answer struct {
	question
	Digest string `json:"digest"`
}

// Watch returns a tree that notes what is read of it.
func Watch(tree fs.FS) *Tree {
	return &Tree{FS: tree, seen: map[question]string{}, contents: map[string][]byte{}}
}

// Seen returns the noted answers, sorted. It reports false if an answer is missing, or if a
// question had two different answers because the tree changed meanwhile.
func (t *Tree) Seen() ([]Answer, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var answers []Answer
	for q, digest := range t.seen {
		answers = append(answers, Answer{q, digest})
	}
	for path := range t.contents {
		q := question{askContent, path}
		if _, failed := t.seen[q]; failed {
			t.unknown = true
		}
		answers = append(answers, Answer{q, ""})
	}
	parallel.Each(len(answers), func(i int) {
		if a := &answers[i]; a.Ask == askContent && a.Digest == "" {
			a.Digest = contentAnswer(t.contents[a.Path], nil)
		}
	})
	slices.SortFunc(answers, func(a, b Answer) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(string(a.Ask), string(b.Ask))
	})
	return answers, !t.unknown
}

func (t *Tree) note(how ask, path, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := question{how, path}
	if before, asked := t.seen[q]; asked && before != answer {
		t.unknown = true
	}
	t.seen[q] = answer
}

// Open opens a file. Seen reports false from then on, because reads from an open file are not
// noted.
func (t *Tree) Open(name string) (fs.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unknown = true
	return t.FS.Open(name)
}

// ReadFile returns the content of a file at its first read, so that all parts of a run see the
// same. The caller must not change it.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	t.mu.Lock()
	data, read := t.contents[name]
	t.mu.Unlock()
	if read {
		return data, nil
	}
	data, err := fs.ReadFile(t.FS, name)
	if err != nil {
		t.note(askContent, name, errorAnswer(err))
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.contents[name] = data
	return data, nil
}

// ReadDir returns the entries of a folder.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(t.FS, name)
	t.note(askListing, name, listingAnswer(entries, err))
	return entries, err
}

// Stat returns what is at a path, behind symbolic links. It notes only the file type, not times or
// sizes.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(t.FS, name)
	t.note(askFileType, name, describeFileType(info, err))
	return info, err
}

// Lstat returns what is at a path. It notes only the file type, not times or sizes.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(t.FS, name)
	t.note(askOwn, name, describeFileType(info, err))
	return info, err
}

// ReadLink returns the target of a symbolic link.
func (t *Tree) ReadLink(name string) (string, error) {
	leads, err := fs.ReadLink(t.FS, name)
	t.note(askTarget, name, targetAnswer(leads, err))
	return leads, err
}

func contentAnswer(data []byte, err error) string {
	if err != nil {
		return errorAnswer(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func listingAnswer(entries []fs.DirEntry, err error) string {
	if err != nil {
		return errorAnswer(err)
	}
	var lines strings.Builder
	for _, entry := range entries {
		lines.WriteString(entry.Name() + "\x00" + entry.Type().String() + "\x00")
	}
	return contentAnswer([]byte(lines.String()), nil)
}

// describeFileType returns the type bits of a file, or its error, as the text of an answer.
func describeFileType(info fs.FileInfo, err error) string {
	if err != nil {
		return errorAnswer(err)
	}
	return info.Mode().Type().String()
}

func targetAnswer(leads string, err error) string {
	if err != nil {
		return errorAnswer(err)
	}
	return "to " + leads
}

// errorAnswer returns the answer for an error. It distinguishes an absent file from an unreadable
// one.
func errorAnswer(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "absent"
	}
	return "error: " + err.Error()
}
