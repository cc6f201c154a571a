package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/opgen-dev/opgen/internal/spec"
)

// typesFile is the usual name of the file of types beside the files of APIs.
const typesFile = "types.yaml"

// specFile is a spec file that has been read.
type specFile struct {
	name string // in positions
	data []byte
}

// sharedTypes takes the files of kind Types out of spec files and returns their types beside the rest.
func sharedTypes(files []specFile) (rest []specFile, shared []*spec.NamedType, problems spec.Problems) {
	for _, f := range files {
		if !spec.IsTypes(f.data) {
			rest = append(rest, f)
			continue
		}
		types, found := spec.ParseTypes(f.name, f.data)
		problems = append(problems, found...)
		if types == nil {
			continue
		}
		for _, t := range types.Types {
			same := func(other *spec.NamedType) bool { return other.Name == t.Name }
			if i := slices.IndexFunc(shared, same); i >= 0 {
				problems = append(problems, spec.Problem{
					Pos: t.Pos, Path: "types." + t.Name,
					Message: "is named at " + shared[i].Pos.String() + " too", Hint: "choose another name, or use that one",
				})
				continue
			}
			shared = append(shared, t)
		}
	}
	return rest, shared, problems
}

// typesBeside returns the files of types that lie beside others and are not among them.
func typesBeside(files []string) []string {
	var found []string
	for _, file := range files {
		if file == "-" {
			continue
		}
		types := filepath.Join(filepath.Dir(file), typesFile)
		if _, err := os.Stat(types); errors.Is(err, fs.ErrNotExist) || slices.Contains(found, types) || slices.Contains(files, types) {
			continue
		}
		if data, err := readSpec(types, types); err == nil && spec.IsTypes(data) {
			found = append(found, types)
		}
	}
	return found
}
