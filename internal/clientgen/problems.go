package clientgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/code-generator/cmd/client-gen/generators/util"

	"github.com/opgen-dev/opgen/internal/spec"
)

// imported are the packages of Go that the clients' packages import, of those whose path is but a
// name.
var imported = []string{"context", "fmt", "reflect", "sync", "time"}

// Problems reports what keeps APIs from having typed clients: a version that is called like a
// package which the clients' package of that name would have to import, and markers of authors that
// cannot be read or that contradict the API file.
func Problems(apis []*spec.API) spec.Problems {
	var problems spec.Problems
	for _, api := range apis {
		if api.Names.GoKind == "Typed" { // whose informer would have a field and a method TypedInformer
			problems = append(problems, spec.Problem{
				Pos: api.Place("names.kind"), Path: "names.kind", Message: "typed clients cannot have a Go type Typed", Hint: otherGoKind("Typed"),
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

func otherGoKind(goKind string) string {
	return "give it another name with goKind: My" + goKind + ", or leave clients: true out of opgen.yaml"
}

// markerProblems reports what is wrong with the markers that an author has written above a kind.
func markerProblems(api *spec.API, markers []spec.GoMarker) spec.Problems {
	var problems spec.Problems
	var lines []string
	for _, m := range markers {
		before := lines
		lines = append(lines, m.Text)
		name, value, _ := strings.Cut(m.Text, "=")
		switch {
		case name == "+genclient:nonNamespaced" && api.Scope != spec.Cluster:
			problems = append(problems, contradictionProblem(m, name+" says that objects lie in no namespace", api, "scope "+string(api.Scope)))
		case name == "+resourceName" && value != api.Names.Plural:
			problems = append(problems, contradictionProblem(m, m.Text, api, "plural "+api.Names.Plural))
		}
		if _, err := util.ParseClientGenTags(lines); err != nil {
			problems = append(problems, spec.Problem{Pos: m.Pos, Message: err.Error()})
			lines = before // so that it does not hide others
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
