package tree

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Owner is who may change a file of a project: opgen or the author.
type Owner int

const (
	// Generated files belong to opgen. It rewrites them when the spec changes, and removes them
	// when the project no longer has them.
	Generated Owner = iota
	// Once files belong to the author. opgen writes them if they are absent, and never changes
	// them.
	Once
)

// File is one file of a project.
type File struct {
	Path    string // slash-separated, relative to the project
	Content []byte // of a Generated file that is rendered, and of one that Plan does not render
	Owner   Owner
	// API is the name of the API that the file belongs to, see APIName, and Controller that of the
	// controller for kinds that exist already; both are empty for files of the whole project.
	API, Controller string
	// Instead reports whether another file in the same folder replaces this one, for example after
	// the author has renamed or split it. A Once file is not written then. Nil means that no file
	// does.
	Instead func(name string) bool
	// Template is the author's template that the file is made from, as opgen.lock names it. It is
	// empty if opgen makes the file.
	Template string

	// Render renders the content of a Once file and of one that is known, which most projects have
	// already; nil: Content.
	Render   func() ([]byte, error)
	Checksum string // of a Generated file; empty: that of Content
}

// Rendered returns the content of the file.
func (f File) Rendered() ([]byte, error) {
	if f.Render == nil {
		return f.Content, nil
	}
	content, err := f.Render()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return content, nil
}

// isContent reports whether the file has a content, except for its line endings.
func (f File) isContent(content []byte) bool {
	if f.Render == nil {
		return bytes.Equal(UnixLines(content), UnixLines(f.Content))
	}
	return ContentChecksum(content) == f.Checksum
}

// FileSet is a whole project in memory: all of its files, sorted by path, each path once.
type FileSet struct {
	files   []File
	dropped []string
	lock    Lock // of a tree that has exactly these files
}

// NewFileSet sorts files. dropped are files of the author to remove. The lock has the version of
// opgen and what the files are made for; NewFileSet lists the files. It returns an error if a path
// is outside of the project or not unique, or if the name of a Generated file does not say that it
// is generated.
func NewFileSet(lock Lock, files []File, dropped []string) (*FileSet, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	lock.Files, lock.Templated = map[string]string{}, map[string]LockedFile{}
	for i, f := range files {
		switch {
		case !fs.ValidPath(f.Path) || strings.Contains(f.Path, `\`):
			return nil, fmt.Errorf("%s: lies outside of the project", f.Path)
		case i > 0 && files[i-1].Path == f.Path:
			return nil, fmt.Errorf("%s: made twice", f.Path)
		case f.Owner == Generated && f.Template == "" && !IsGeneratedName(f.Path):
			return nil, fmt.Errorf("%s: the name of a generated file starts with %s", f.Path, generatedPrefix)
		case f.Content == nil && f.Render == nil:
			files[i].Content = []byte{} // nil would mean that the file is to be removed
		}
		lock.addFile(f)
	}
	return &FileSet{files: files, dropped: dropped, lock: lock}, nil
}

// WithAPIs returns the set with other entries of APIs in its lock.
func (s *FileSet) WithAPIs(apis map[string]LockedAPI) *FileSet {
	changed := *s
	changed.lock.APIs = apis
	return &changed
}

// Files returns the files in the order of their paths.
func (s *FileSet) Files() []File {
	return slices.Clone(s.files)
}

// generatedPrefix begins the name of every Generated file outside of the folders that are generated
// completely, and but for the kustomizations of components, whose name kustomize knows.
const generatedPrefix = "zz_generated."

// IsGeneratedName reports whether a file with this path can be Generated.
func IsGeneratedName(file string) bool {
	folder, _, _ := strings.Cut(file, "/")
	isComponent, _ := path.Match("deploy/components/*/kustomization.yaml", file) // the pattern is valid
	isNamed := strings.HasPrefix(path.Base(file), generatedPrefix) || folder == "client" || folder == "dist" || isComponent
	return isNamed && !isOfGit(file)
}

// FoldersOf returns the folders that a file lies in, the outer ones first.
func FoldersOf(file string) []string {
	var folders []string
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		folders = append(folders, dir)
	}
	slices.Reverse(folders)
	return folders
}
