package clientgen

import (
	"path"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// declaration matches the top-level declarations of a formatted Go file, except methods and groups
// in parentheses.
var declaration = lazyregexp.New(`(?m)^(?:func|type|var|const) ([A-Za-z_]\w*)`)

// declaredTwice reports kinds whose clients declare the same name twice. For example, with the
// kinds Part and NewPart, NewPartLister is both the function that makes the lister of Part and the
// lister of NewPart.
func declaredTwice(files []File, groups []group) spec.Problems {
	kinds := kindsByFile(groups)
	first := map[string]gomodel.Kind{} // folder and name → the kind whose file declares it
	var problems spec.Problems
	for _, f := range files {
		folder, name := path.Dir(f.Path), strings.TrimSuffix(path.Base(f.Path), ".go")
		kind, found := kinds[lastTwo(folder)+"/"+strings.TrimSuffix(name, "_kind")]
		if !found {
			kind.Name = name // a file that belongs to no kind
		}
		for _, match := range declaration().FindAllSubmatch(f.Content, -1) {
			declared := string(match[1])
			other, taken := first[folder+" "+declared]
			if taken && (kind.API != nil || other.API != nil) {
				problems = append(problems, sharedNameProblem(kind, other, declared))
				break
			}
			first[folder+" "+declared] = kind
		}
	}
	return firstAtEachPosition(problems)
}

// sharedNameProblem reports the name that two types would both declare, at the API file of one of
// them.
func sharedNameProblem(kind, other gomodel.Kind, declared string) spec.Problem {
	if kind.API == nil {
		kind, other = other, kind
	}
	return spec.Problem{
		Pos: kind.API.PositionOf("names.kind"), Path: "names.kind",
		Message: "the typed clients of " + kind.Name + " and those of " + other.Name + " would both declare " + declared,
		Hint:    otherGoKind(kind.Name),
	}
}

// firstAtEachPosition keeps the first problem at each position.
func firstAtEachPosition(problems spec.Problems) spec.Problems {
	var kept spec.Problems
	seen := map[spec.Pos]bool{}
	for _, p := range problems {
		if !seen[p.Pos] {
			seen[p.Pos], kept = true, append(kept, p)
		}
	}
	return kept
}

// kindsByFile returns the kinds by group, version and the name of their files.
func kindsByFile(groups []group) map[string]gomodel.Kind {
	kinds := map[string]gomodel.Kind{}
	for _, g := range groups {
		for _, v := range g.versions {
			for _, k := range v.Kinds {
				kinds[g.folder+"/"+v.Version+"/"+strings.ToLower(k.Name)] = k
			}
		}
	}
	return kinds
}
