package scaffold

import (
	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/descriptions"
)

// CRDs returns the CRDs of a project as Plan writes them, with the APIs that they are made from. The
// error is spec.Problems if the input is invalid.
func CRDs(in Source) ([]crddiff.Made, error) {
	p, err := newProject(in)
	if err != nil {
		return nil, err
	}
	var made []crddiff.Made
	for _, k := range p.kinds {
		made = append(made, crddiff.Made{CRD: descriptions.Shorten(k.crd(), p.MaxDescLen), API: k.api.Read()})
	}
	return made, nil
}
