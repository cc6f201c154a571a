package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/opgen-dev/opgen/internal/spec"
)

// typesFile is the usual name of the file of types in the folder of API files.
const typesFile = "types.yaml"

// ParseTypes separates the files of kind Types from those of APIs, and parses the former.
func ParseTypes(files []SpecFile) (ofTypes, apis []SpecFile, shared []*spec.NamedType, problems spec.Problems) {
	for _, f := range files {
		if !spec.IsTypes(f.Data) {
			apis = append(apis, f)
			continue
		}
		ofTypes = append(ofTypes, f)
		types, found := spec.ParseTypes(f.Name, f.Data)
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
	return ofTypes, apis, shared, problems
}

// FindTypes returns the files of types in the folders of other files that are not among these.
func FindTypes(files []string) []string {
	var found []string
	for _, file := range files {
		if file == "-" {
			continue
		}
		types := filepath.Join(filepath.Dir(file), typesFile)
		if _, err := os.Stat(types); errors.Is(err, fs.ErrNotExist) || slices.Contains(found, types) || slices.Contains(files, types) {
			continue
		}
		if file, err := ReadFile(types, types); err == nil && spec.IsTypes(file.Data) {
			found = append(found, types)
		}
	}
	return found
}
