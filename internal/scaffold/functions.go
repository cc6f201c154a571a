package scaffold

import (
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wiringPath is the file that calls New of the package of each operator.
const wiringPath = "zz_generated.controllers.go"

// MissingFunctions says which functions of the author's the generated code needs and a tree lacks,
// in whatever file: New in the package of each operator that the changes' wiring calls, and main.
// Code that cannot be parsed is left for the compiler to report.
func MissingFunctions(tree fs.FS, module string, changes *Changes) []VersionMismatch {
	var missing []VersionMismatch
	for _, folder := range wiredFolders(changes, module) {
		code := codeIn(tree, folder)
		switch {
		case code.broken || slices.Contains(code.functions, "New"):
		case changes.createsFileIn(folder):
			missing = append(missing, VersionMismatch{Path: folder, Message: "has no function New, which " + wiringPath + " calls: run opgen generate, which writes it"})
		default:
			missing = append(missing, VersionMismatch{Path: folder, Message: "has no function New, which " + wiringPath +
				" calls: add func New(operator.Manager) (operator.Controller, error)"})
		}
	}
	code := codeIn(tree, ".")
	switch {
	case code.broken || slices.Contains(code.functions, "main"):
	case changes.createsFileIn("."):
		missing = append(missing, VersionMismatch{Path: "main.go", Message: "is missing, and no other file here has func main: run opgen generate"})
	default:
		missing = append(missing, VersionMismatch{Path: code.first, Message: "the project has no func main: add func main() { operator.Main(controllers) }"})
	}
	return missing
}

// wiredFolders returns the folders of the packages that the wiring imports from the project.
func wiredFolders(changes *Changes, module string) []string {
	var folders []string
	for _, c := range changes.list {
		if c.Path != wiringPath {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), wiringPath, c.New, parser.ImportsOnly)
		if err != nil {
			return nil
		}
		for _, spec := range file.Imports {
			importPath, _ := strconv.Unquote(spec.Path.Value)
			if folder, ok := strings.CutPrefix(importPath, module+"/"); ok {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}

// createsFileIn reports whether a Once file of Go code is to be written into a folder, so that it
// lacks what that file has.
func (c *Changes) createsFileIn(folder string) bool {
	return slices.ContainsFunc(c.list, func(change Change) bool {
		return change.Action == Create && change.Owner == Once && path.Dir(change.Path) == folder && isCode(path.Base(change.Path))
	})
}

// code is the hand-written code of a package.
type code struct {
	functions []string // without those that have a receiver
	first     string   // file; main.go if there is one
	broken    bool     // a file cannot be parsed
}

// codeIn reads the hand-written Go files of a folder that are built on this platform and are no
// tests.
func codeIn(tree fs.FS, folder string) code {
	var found code
	platform := build.Default
	platform.OpenFile = func(name string) (io.ReadCloser, error) { return tree.Open(filepath.ToSlash(name)) }
	names, _ := fs.Glob(tree, path.Join(folder, "*.go"))
	for _, name := range names {
		base := path.Base(name)
		if !isCode(base) || generatedName(base) {
			continue
		}
		if found.first == "" || base == "main.go" {
			found.first = name
		}
		if built, err := platform.MatchFile(folder, base); err != nil || !built {
			continue
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			found.broken = true
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			found.broken = true
			continue
		}
		found.functions = append(found.functions, declaredIn(file).functions...)
	}
	return found
}
