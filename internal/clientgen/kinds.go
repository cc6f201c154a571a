package clientgen

import (
	"go/token"
	"slices"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// kindAware is a target whose generators use the names of kinds. By default they take the name of
// the Go type for the kind.
type kindAware struct {
	generator.Target
	kinds map[types.Name]string
}

// Generators returns the generators of the target.
func (t kindAware) Generators(c *generator.Context) []generator.Generator {
	generators := t.Target.Generators(c)
	for i, g := range generators {
		generators[i] = kindAwareGenerator{g, t.kinds}
	}
	return generators
}

type kindAwareGenerator struct {
	generator.Generator
	kinds map[types.Name]string
}

// Namers returns the namers of the generator, of which those that name kinds are replaced.
func (g kindAwareGenerator) Namers(c *generator.Context) namer.NameSystems {
	names := namer.NameSystems{"singularKind": kindNamer{g.kinds}}
	for system, n := range g.Generator.Namers(c) {
		if system != "singularKind" {
			names[system] = n
		}
	}
	return names
}

// kindNamer names types by their kinds.
type kindNamer struct{ kinds map[types.Name]string }

// Name returns the kind of a type.
func (n kindNamer) Name(t *types.Type) string {
	if kind, ok := n.kinds[t.Name]; ok {
		return kind
	}
	return namer.IC(t.Name.Name)
}

// privateNamer names parameters and unexported types after kinds. It avoids names that would not
// compile: a Go keyword such as type for the kind Type, or a name that the code around it uses.
type privateNamer struct{ namer.Namer }

// takenParameters are the other names that the generated code uses.
var takenParameters = []string{"b", "ctx", "err", "internal", "managedfields", "nil", "opts", "result"}

// Name returns the name of a type with a lower case first letter.
func (n privateNamer) Name(t *types.Type) string {
	name := n.Namer.Name(t)
	if token.IsKeyword(name) || slices.Contains(takenParameters, name) {
		return name + "Object"
	}
	return name
}
