package crdgen

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Parse parses an API as spec.ParseAPI does. If the file has errors, it also reports those that the
// API server finds in the schemas that could be parsed.
func Parse(file string, data []byte, minKubernetes string, shared ...*spec.NamedType) (*spec.API, spec.Problems) {
	api, problems := spec.ParsePartial(file, data, shared...)
	if api == nil {
		return nil, problems
	}
	types, _ := resolveTypes(api.EmbeddedMetadata, api.Versions...)
	crd, schemas := buildCRD(api, types)
	if problem := expandsTooFar(api, crd, schemas); problem != nil {
		return nil, append(problems, *problem).Sorted()
	}
	if len(problems) == 0 {
		return api, nil
	}
	if ReadsGo(api) {
		return nil, problems // the schemas need Go packages that have not been read
	}
	_, more := CRD(api, minKubernetes)
	for _, p := range more {
		if ofSchema(p.Path) && !mayFollow(p, problems) {
			problems = append(problems, p)
		}
	}
	return nil, problems.Sorted()
}

// ofSchema reports whether a path leads into a schema: what is said of the rest of a broken API may
// only follow from what is missing of it.
func ofSchema(path string) bool {
	return strings.HasPrefix(path, "spec.") || strings.HasPrefix(path, "status.") || strings.HasPrefix(path, "types.")
}

// mayFollow reports whether a problem may follow from another: it is in the same place, below it or
// around it.
func mayFollow(p spec.Problem, known spec.Problems) bool {
	for _, k := range known {
		if k.Pos == p.Pos || isAtOrBelow(p.Path, k.Path) || isAtOrBelow(k.Path, p.Path) {
			return true
		}
	}
	return false
}

// isAtOrBelow reports whether a path is another, or leads below it.
func isAtOrBelow(path, other string) bool {
	rest, found := strings.CutPrefix(path, other)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
