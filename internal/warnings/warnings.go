package warnings

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Of returns what there is to warn of in APIs, in the order of files and positions.
func Of(apis []*spec.API) spec.Problems {
	var all spec.Problems
	for _, api := range apis {
		w := warner{api: api, crd: crdgen.Unchecked(api)}
		w.group()
		w.names()
		w.versions()
		w.schemas()
		w.size()
		w.children()
		all = append(all, w.found...)
	}
	return all.Sorted()
}

// warner collects the warnings of one API.
type warner struct {
	api   *spec.API
	crd   *apiextv1.CustomResourceDefinition
	found spec.Problems
}

// at warns of a place in the CRD, which is shown as the place in the spec file that it comes from.
func (w *warner) at(warning spec.Warning, crdPath *field.Path, message, hint string) {
	pos, path := crdgen.Locate(w.api, crdPath.String())
	w.add(warning, pos, path, message, hint)
}

// key warns of a key outside of the schemas.
func (w *warner) key(warning spec.Warning, path, message, hint string) {
	w.add(warning, w.api.Place(path), path, message, hint)
}

func (w *warner) add(warning spec.Warning, pos spec.Pos, path, message, hint string) {
	if slices.Contains(w.api.AcceptWarnings, warning) {
		return
	}
	w.found = append(w.found, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint, Warning: warning})
}
