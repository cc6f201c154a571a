package templates

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// PackageName returns the name of the Go package that reconciles a kind. Its folder in internal/
// has the same name.
func PackageName(kind string) string { return strings.ToLower(kind) }

// importSet gives each imported package of a Go file a different name.
type importSet struct {
	names map[string]string // import path → name
	taken map[string]bool
}

// newImportSet returns a set in which the names that the file uses otherwise are taken.
func newImportSet(taken ...string) *importSet {
	s := &importSet{names: map[string]string{}, taken: map[string]bool{}}
	for _, name := range taken {
		s.taken[name] = true
	}
	return s
}

// add returns the name of a package in the file. If the wanted name is taken, it adds a number:
// v12.
func (s *importSet) add(importPath, wanted string) string {
	if name, ok := s.names[importPath]; ok {
		return name
	}
	name := wanted
	for n := 2; s.taken[name]; n++ {
		name = wanted + strconv.Itoa(n)
	}
	s.names[importPath], s.taken[name] = name, true
	return name
}

var versionElement = lazyregexp.New(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// importAlias returns the customary name of an API package: corev1 for k8s.io/api/core/v1.
func importAlias(importPath string) string {
	name := identifierOf(path.Base(importPath))
	if !versionElement().MatchString(name) {
		return name
	}
	folder := path.Dir(importPath)
	for slices.Contains([]string{"api", "apis"}, path.Base(folder)) && path.Dir(folder) != "." {
		folder = path.Dir(folder) // example.org/monitoring/api/v1 is monitoringv1
	}
	return identifierOf(path.Base(folder)) + name
}

// identifierOf removes the characters that a Go identifier cannot have.
func identifierOf(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
