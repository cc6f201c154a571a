package crdgen

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Parse parses an API as spec.ParseAPI does. If the file has errors, it also validates the schemas
// that could be parsed, so that the author sees all errors at once.
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
	if NeedsGoSource(api) {
		return nil, problems // the Go packages of the schemas have not been loaded
	}
	_, more := CRD(api, minKubernetes)
	for _, p := range more {
		if isInSchema(p.Path) && !mayFollow(p, problems) {
			problems = append(problems, p)
		}
	}
	return nil, problems.Sorted()
}

// isInSchema reports whether a path leads into a schema. Errors elsewhere may only exist because
// parts of the API could not be parsed.
func isInSchema(path string) bool {
	return strings.HasPrefix(path, "spec.") || strings.HasPrefix(path, "status.") || strings.HasPrefix(path, "types.")
}

// mayFollow reports whether a problem may be a consequence of a known one, because it is at the
// same position, below or above it.
func mayFollow(p spec.Problem, known spec.Problems) bool {
	for _, k := range known {
		if k.Pos == p.Pos || isAtOrBelow(p.Path, k.Path) || isAtOrBelow(k.Path, p.Path) {
			return true
		}
	}
	return false
}

// isAtOrBelow reports whether a path equals another one or is below it: a.b is below a, ab is not.
func isAtOrBelow(path, other string) bool {
	rest, found := strings.CutPrefix(path, other)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
