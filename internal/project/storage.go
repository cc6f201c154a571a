package project

import (
	"fmt"
	"io/fs"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// nameStoredVersion completes the hint of the problem that no version of an API is stored: the
// author's Go types may say which one is.
func nameStoredVersion(tree fs.FS, p *spec.Project, f SpecFile, problems spec.Problems, shared []*spec.NamedType) {
	for i, problem := range problems {
		if problem.Message != spec.NoStorageMessage || p == nil {
			continue
		}
		if marked := markedVersions(tree, p, f, shared); len(marked) == 1 {
			problems[i].Hint += ": " + marked[0]
		}
	}
}

// markedVersions returns the versions of an API whose Go types have the marker of the stored version,
// with the positions of the markers.
func markedVersions(tree fs.FS, p *spec.Project, f SpecFile, shared []*spec.NamedType) []string {
	api, _ := spec.ParsePartial(f.Name, f.Data, shared...)
	if api == nil {
		return nil
	}
	const marker = "+kubebuilder:storageversion"
	var marked []string
	for _, v := range api.Versions {
		pos, found := gotypes.FindMarker(tree, gomodel.PackageDir(p, api.Group, v.Name), api.Names.GoKind, marker)
		if v.GoTypes && found {
			marked = append(marked, fmt.Sprintf("%s, as %s says at %v", v.Name, marker, pos))
		}
	}
	return marked
}
