package clientgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/code-generator/cmd/client-gen/generators/util"

	"github.com/opgen-dev/opgen/internal/spec"
)

// imported are the packages with a path of one element that the clients import.
var imported = []string{"context", "fmt", "reflect", "sync", "time"}

// Problems returns why APIs cannot have typed clients:
//
//   - a version named like a package that its clients import: versions/context cannot import "context";
//   - a Go type Typed;
//   - markers of authors that cannot be parsed, or that contradict the API file.
func Problems(apis []*spec.API) spec.Problems {
	var problems spec.Problems
	for _, api := range apis {
		if api.Names.GoKind == "Typed" { // its informer would have both a field and a method TypedInformer
			problems = append(problems, spec.Problem{
				Pos: api.PositionOf("names.kind"), Path: "names.kind", Message: "typed clients cannot have a Go type Typed", Hint: otherGoKind("Typed"),
			})
		}
		for i, v := range api.Versions {
			if slices.Contains(imported, v.Name) {
				problems = append(problems, spec.Problem{
					Pos: v.Pos, Path: fmt.Sprintf("versions[%d].name", i),
					Message: strconv.Quote(v.Name) + " cannot be the name of a package of typed clients",
					Hint:    "use a version such as v1, or leave clients: true out of opgen.yaml",
				})
			}
			if v.Authored != nil {
				problems = append(problems, markerProblems(api, v.Authored.ClientMarkers)...)
			}
		}
	}
	return problems
}

// otherGoKind returns the hint to give a kind another name in Go.
func otherGoKind(goKind string) string {
	return "give it another name with goKind: My" + goKind + ", or leave clients: true out of opgen.yaml"
}

// markerProblems returns what is wrong with the markers that an author has written above a kind.
func markerProblems(api *spec.API, markers []spec.GoMarker) spec.Problems {
	var problems spec.Problems
	var lines []string
	for _, m := range markers {
		before := lines
		lines = append(lines, m.Text)
		name, value, _ := strings.Cut(m.Text, "=")
		switch {
		case name == "+genclient:nonNamespaced" && api.Scope != spec.Cluster:
			problems = append(problems, contradictionProblem(m, name+" says that the kind is cluster-scoped", api, "scope "+string(api.Scope)))
		case name == "+resourceName" && value != api.Names.Plural:
			problems = append(problems, contradictionProblem(m, m.Text, api, "plural "+api.Names.Plural))
		}
		if _, err := util.ParseClientGenTags(lines); err != nil {
			problems = append(problems, spec.Problem{Pos: m.Pos, Message: err.Error()})
			lines = before // without the wrong marker, so that later errors are found, too
		}
	}
	return problems
}

func contradictionProblem(m spec.GoMarker, inGo string, api *spec.API, inFile string) spec.Problem {
	return spec.Problem{
		Pos:     m.Pos,
		Message: inGo + ", and " + api.File + " says " + inFile,
		Hint:    "the file decides: correct the marker, or leave it out",
	}
}
