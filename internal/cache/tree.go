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

// Tree is a tree of files that notes every question about it with the answer. It can be used by
// several goroutines.
type Tree struct {
	fs.FS
	mu       sync.Mutex
	seen     map[question]string
	contents map[string][]byte // of files; their digests are taken when somebody asks for the answers
	// unknown is set after a question whose answer is not noted.
	unknown bool
}

// question is what a program asks of a tree.
type question struct {
	Ask  ask    `json:"ask"`
	Path string `json:"path"`
}

// ask is how a program looks at a path.
type ask string

const (
	askContent ask = "content" // of a file
	askListing ask = "listing" // of a folder
	askSort    ask = "sort"    // of what is at the path, behind symbolic links
	askOwn     ask = "own"     // sort of what is at the path itself
	askTarget  ask = "target"  // of a symbolic link
)

// Answer is what a tree said to one question.
type Answer struct {
	question
	Digest string `json:"digest"`
}

// Watch returns a tree that notes what is read of it.
func Watch(tree fs.FS) *Tree {
	return &Tree{FS: tree, seen: map[question]string{}, contents: map[string][]byte{}}
}

// Seen returns the noted answers, sorted. It reports false if they are not all, or if a question
// had two: then the tree changed meanwhile.
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

// Open opens a file. What is read of it then is not noted.
func (t *Tree) Open(name string) (fs.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unknown = true
	return t.FS.Open(name)
}

// ReadFile returns the content of a file as it was when it was first read. The caller must not
// change it.
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

// Stat returns what is at a path, behind symbolic links. Its sort alone is noted.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(t.FS, name)
	t.note(askSort, name, sortAnswer(info, err))
	return info, err
}

// Lstat returns what is at a path. Its sort alone is noted.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(t.FS, name)
	t.note(askOwn, name, sortAnswer(info, err))
	return info, err
}

// ReadLink returns where a symbolic link leads.
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

func sortAnswer(info fs.FileInfo, err error) string {
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

// errorAnswer tells what is absent from what cannot be read.
func errorAnswer(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "absent"
	}
	return "error: " + err.Error()
}
