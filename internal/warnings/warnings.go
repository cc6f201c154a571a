package warnings

import (
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Of returns the warnings about APIs, in the order of files and positions. maxDescLen is that of the project, and negative if
// descriptions are as long as they are.
func Of(apis []*spec.API, maxDescLen int64) spec.Problems {
	var all spec.Problems
	for _, api := range apis {
		w := warner{api: api, crd: crdgen.Unchecked(api)}
		w.checkGroup()
		w.checkNames()
		w.checkVersions()
		w.checkSchemas()
		w.checkLists()
		w.checkSize(maxDescLen)
		w.checkOperator()
		all = append(all, w.found...)
	}
	return all.Sorted()
}

// OfGoTypes returns the warnings about versions whose Go types are the author's and have been read, and
// of which Of knows nothing.
func OfGoTypes(apis []*spec.API, maxDescLen int64) spec.Problems {
	var all spec.Problems
	for _, api := range apis {
		if !slices.ContainsFunc(api.Versions, func(v spec.Version) bool { return v.GoTypes && v.Authored != nil }) {
			continue
		}
		w := warner{api: api, crd: crdgen.Unchecked(api)}
		w.checkSize(maxDescLen)
		if len(api.Versions) > 1 {
			w.checkLostFields()
		}
		all = append(all, w.found...)
	}
	return all.Sorted()
}

// OfControllers returns the warnings about controllers for existing kinds, in the order of files
// and positions.
func OfControllers(controllers []*spec.Controller) spec.Problems {
	var all spec.Problems
	for _, c := range controllers {
		warn := func(warning spec.Warning) func(path, message, hint string) {
			return func(path, message, hint string) {
				if !accepts(c.AcceptWarnings, warning) {
					all = append(all, spec.Problem{Pos: c.PositionOf(path), Path: path, Message: message, Hint: hint, Warning: warning})
				}
			}
		}
		warnOfPowerful(c.Operator, parentKinds(c), warn(spec.WarnPrivileged))
		warnOfRules(c.Operator, warn(spec.WarnPrivileged))
		warnOfAutoscalers(c.Operator, warn(spec.WarnAutoscalers))
		warnOfAllNamespaces(c.Operator, parentKinds(c), warn(spec.WarnPrivileged))
		warnOfSecrets(c.Operator, parentKinds(c), areNamespaced(c), warn(spec.WarnSecrets))
	}
	return all.Sorted()
}

// accepts reports whether a file accepts a warning.
func accepts(accepted []spec.Warning, warning spec.Warning) bool {
	return slices.Contains(accepted, warning)
}

// parentKinds returns the kinds that a controller reconciles as a phrase: "Deployment or
// StatefulSet".
func parentKinds(c *spec.Controller) string {
	kinds := make([]string, len(c.Parents))
	for i, p := range c.Parents {
		kinds[i] = p.Kind
	}
	return strings.Join(kinds, " or ")
}

// areNamespaced reports whether all parents of a controller are namespaced, as far as opgen knows.
func areNamespaced(c *spec.Controller) bool {
	return !slices.ContainsFunc(c.Parents, func(p spec.Parent) bool {
		known, found := kubetypes.Lookup(p.APIVersion, p.Kind)
		return p.Scope == spec.Cluster || found && !known.Namespaced
	})
}

// warner collects the warnings of one API.
type warner struct {
	api   *spec.API
	crd   *apiextv1.CustomResourceDefinition
	found spec.Problems
}

// addAt warns of a place in the CRD. The position is that of the place in the spec file it was made
// from.
func (w *warner) addAt(warning spec.Warning, crdPath *field.Path, message, hint string) {
	pos, path := crdgen.Locate(w.api, crdPath.String())
	w.add(warning, pos, path, message, hint)
}

// addAtKey warns of a key outside of the schemas.
func (w *warner) addAtKey(warning spec.Warning, path, message, hint string) {
	w.add(warning, w.api.PositionOf(path), path, message, hint)
}

func (w *warner) add(warning spec.Warning, pos spec.Pos, path, message, hint string) {
	if accepts(w.api.AcceptWarnings, warning) {
		return
	}
	w.found = append(w.found, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint, Warning: warning})
}
