package gomarkers

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Parse parses the text of a marker as its definition in controller-tools says. example is the hint
// of an error that no argument is like.
func Parse(definition *markers.Definition, m Marker, example string) (any, *spec.Problem) {
	name := "+" + definition.Name
	problem := func(message, hint string) (any, *spec.Problem) {
		return nil, &spec.Problem{Pos: m.Pos, Path: name, Message: message, Hint: hint}
	}
	if !strings.HasPrefix(m.Text, name+":") {
		return problem("is followed by no colon", example)
	}
	parsed, err := definition.Parse(m.Text)
	if err == nil {
		return parsed, nil
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "["), " (at <input>")
	if unknown, ok := strings.CutPrefix(first, "unknown argument "); ok {
		known := slices.Sorted(maps.Keys(definition.Fields))
		if meant := nearest.Name(strings.Trim(unknown, `"`), known); meant != "" {
			return problem(first, "did you mean "+meant+"?")
		}
		return problem(first, "accepted: "+strings.Join(known, ", "))
	}
	return problem(first, example)
}
