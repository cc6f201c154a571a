package clientgen

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/opgen-dev/opgen/internal/spec"
)

// imported are the packages of Go that the clients' packages import, of those whose path is but a name.
var imported = []string{"context", "fmt", "reflect", "sync", "time"}

// Problems reports what keeps APIs from having typed clients: a version that is called like a package which the
// clients' package of that name would have to import.
func Problems(apis []*spec.API) spec.Problems {
	var problems spec.Problems
	for _, api := range apis {
		for i, v := range api.Versions {
			if slices.Contains(imported, v.Name) {
				problems = append(problems, spec.Problem{
					Pos: v.Pos, Path: fmt.Sprintf("versions[%d].name", i),
					Message: strconv.Quote(v.Name) + " cannot be the name of a package of typed clients",
					Hint:    "use a version such as v1, or leave clients: true out of opgen.yaml",
				})
			}
		}
	}
	return problems
}
