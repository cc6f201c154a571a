package project

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/spec"
)

// ReadCRDs reads the CRDs of a file, or of all YAML and JSON files of a folder; - is stdin. Other
// documents are skipped. The error is an InputError or spec.Problems if there is no CRD, if a CRD
// cannot be read, or if two are of one kind.
func ReadCRDs(name string, stdin io.Reader) ([]crddiff.Other, error) {
	files, err := crdFiles(name)
	if err != nil {
		return nil, err
	}
	var (
		all      []crddiff.Other
		at       []spec.Pos
		problems spec.Problems
	)
	for _, file := range files {
		read, err := readCRDFile(file, stdin)
		if err != nil {
			return nil, err
		}
		crds, found := importer.CRDs(file, read.Data)
		problems = append(problems, found...)
		for _, crd := range crds {
			if i := slices.IndexFunc(all, func(o crddiff.Other) bool { return o.IsOfKind(crd.Object) }); i >= 0 {
				problems = append(problems, spec.Problem{Pos: crd.Pos, Message: crd.Object.Spec.Names.Kind + " of " + crd.Object.Spec.Group + " is at " + at[i].String() + " too", Hint: "name the file of the one to compare with"})
				continue
			}
			all, at = append(all, crddiff.Other{CRD: crd.Object, Source: file}), append(at, crd.Pos)
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, noCRDs(name, files)
	}
	return all, nil
}

func readCRDFile(file string, stdin io.Reader) (SpecFile, error) {
	if file == "-" {
		return ReadFrom(spec.StandardInput, stdin)
	}
	return ReadFile(file, file)
}

// crdFiles returns the files that can have CRDs: a file itself, or those of a folder that are YAML or
// JSON.
func crdFiles(name string) ([]string, error) {
	info, err := os.Stat(name)
	if name == "-" || err == nil && !info.IsDir() {
		return []string{name}, nil
	}
	if err != nil {
		return nil, fileError(name, err)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	var files []string
	for _, entry := range entries {
		path := filepath.Join(name, entry.Name())
		info, err := os.Stat(path) // follows a link
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) && err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files, nil
}

// noCRDs returns the error that a file or a folder has no CRD. It names the folders below in which
// there may be some.
func noCRDs(name string, files []string) error {
	if len(files) == 1 && files[0] == name {
		return InputErrorf("%s: contains no CustomResourceDefinition", name)
	}
	var below []string
	entries, _ := os.ReadDir(name)
	for _, entry := range entries {
		path := filepath.Join(name, entry.Name())
		if found, err := crdFiles(path); entry.IsDir() && err == nil && len(found) > 0 {
			below = append(below, path)
		}
	}
	if len(below) == 0 {
		return InputErrorf("%s: has no YAML file with a CustomResourceDefinition", name)
	}
	return InputErrorf("%s: has no YAML file with a CustomResourceDefinition, and folders are not searched\n    name one of: %s", name, strings.Join(below, ", "))
}
