package gomarkers

import (
	"cmp"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

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
	message, hint := Explain(definition, m.Text, err)
	if strings.HasPrefix(message, "missing argument ") {
		return problem(message, cmp.Or(example, hint)) // which has the argument
	}
	return problem(message, cmp.Or(hint, example))
}
