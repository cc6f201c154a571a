// Package modulecache finds the folders of the modules that a module file requires. It finds what
// the go command would, without running it and without the network: a folder of the module cache,
// or the folder that a replace directive names. It checks a module in the cache against the
// checksum file.
package modulecache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/opgen-dev/opgen/internal/spec"
)

// ModFile is a parsed module file with its checksums.
type ModFile struct {
	dir   string // relative paths of the file start here
	name  string // such as tools.mod
	file  *modfile.File
	sums  map[module.Version][]string
	cache string
}

// Parse parses a module file in dir and its checksum file.
func Parse(dir, name string, mod, sum []byte) (*ModFile, error) {
	file, err := modfile.Parse(name, mod, nil)
	if err != nil {
		return nil, err
	}
	return &ModFile{dir: dir, name: name, file: file, sums: parseSums(sum), cache: Folder()}, nil
}

// parseSums returns the checksums of modules. It leaves out those of go.mod files.
func parseSums(data []byte) map[module.Version][]string {
	sums := map[module.Version][]string{}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 3 && !strings.HasSuffix(fields[1], "/go.mod") {
			m := module.Version{Path: fields[0], Version: fields[1]}
			sums[m] = append(sums[m], fields[2])
		}
	}
	return sums
}

// Find returns the folder on disk of a path in a required module. For example, with a requirement
// of example.com/house, the path example.com/house/templates is the folder templates of that
// module. It returns a problem without a position if there is no usable folder.
func (m *ModFile) Find(path string) (string, *spec.Problem) {
	required := m.moduleOf(path)
	if required.Path == "" {
		return "", &spec.Problem{
			Message: m.name + " requires no module that " + path + " could be in",
			Hint:    "run, with the path of its module: go get -modfile=" + m.name + " " + LikelyModule(path) + "@latest",
		}
	}
	below := filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(path, required.Path), "/"))
	used := m.replacementOf(required)
	if used.Version == "" { // a folder
		folder := filepath.FromSlash(used.Path)
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(m.dir, folder)
		}
		return filepath.Join(folder, below), nil
	}
	folder, problem := m.findCached(required, used)
	return filepath.Join(folder, below), problem
}

// moduleOf returns the required module that a path is in: the one with the longest path, if several
// are prefixes.
func (m *ModFile) moduleOf(path string) module.Version {
	var found module.Version
	for _, r := range m.file.Require {
		if (path == r.Mod.Path || strings.HasPrefix(path, r.Mod.Path+"/")) && len(r.Mod.Path) > len(found.Path) {
			found = r.Mod
		}
	}
	return found
}

// replacementOf returns what the module file replaces a module with. It returns the module itself
// if it is not replaced. As for the go command, a replacement of one version wins over one of all
// versions.
func (m *ModFile) replacementOf(required module.Version) module.Version {
	used := required
	for _, r := range m.file.Replace {
		if r.Old.Path == required.Path && (r.Old.Version == "" && used == required || r.Old.Version == required.Version) {
			used = r.New
		}
	}
	return used
}

// findCached returns the folder of a module in the module cache. It returns a problem if the
// content does not have the checksum of the checksum file.
func (m *ModFile) findCached(required, used module.Version) (string, *spec.Problem) {
	download := "run: go mod download -modfile=" + m.name + " " + required.Path
	refuse := func(message, hint string) (string, *spec.Problem) {
		return "", &spec.Problem{Message: message, Hint: hint}
	}
	folder, err := cachePathOf(m.cache, used)
	if err != nil {
		return refuse(m.name+" requires "+used.String()+", which is no version of a module", "run: go get -modfile="+m.name+" "+required.Path+"@latest")
	}
	known := m.sums[used]
	if len(known) == 0 {
		return refuse(m.sumName()+" has no checksum of "+used.String(), download)
	}
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return refuse(used.String()+" is not in the module cache", download)
	case err != nil:
		return refuse(fmt.Sprintf("%s cannot be read: %v", used, err), download)
	case !info.IsDir():
		return refuse(folder+" is no folder", "delete it, and "+download)
	}
	sum, err := dirhash.HashDir(folder, used.String(), dirhash.Hash1)
	if err != nil {
		return refuse(fmt.Sprintf("%s cannot be read: %v", used, err), download)
	}
	if !slices.Contains(known, sum) {
		return refuse(used.String()+" in the module cache is not what "+m.sumName()+" has the checksum of", "delete "+folder+" and "+download)
	}
	return folder, nil
}

func (m *ModFile) sumName() string { return strings.TrimSuffix(m.name, ".mod") + ".sum" }

func cachePathOf(cache string, m module.Version) (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	return filepath.Join(cache, filepath.FromSlash(path)+"@"+version), err
}

// LikelyModule returns the path of the module that a folder is probably in, for hints. On
// well-known hosts this is the repository: github.com/owner/name for
// github.com/owner/name/templates. Otherwise it is the folder above.
func LikelyModule(path string) string {
	elements := strings.Split(path, "/")
	length := max(len(elements)-1, min(len(elements), 2))
	if slices.Contains([]string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}, elements[0]) {
		length = min(len(elements), 3)
	}
	return strings.Join(elements[:length], "/")
}
