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

	"github.com/opgen-dev/opgen/internal/tree"
)

// wiringPath is the file that calls New in the package of each operator.
const wiringPath = "zz_generated.controllers.go"

// MissingFunctions returns the functions of the author that generated code calls and that a tree
// lacks in any file: New in the package of each operator, and main. It skips packages with code
// that cannot be parsed, which the compiler reports.
func MissingFunctions(files fs.FS, module string, changes *tree.Changes) []VersionMismatch {
	var missing []VersionMismatch
	for _, folder := range wiredFolders(changes, module) {
		code := codeIn(files, folder)
		switch {
		case code.broken || slices.Contains(code.functions, "New"):
		case createsFileIn(changes, folder):
			missing = append(missing, VersionMismatch{Path: folder, Message: "has no function New, which " + wiringPath + " calls: run opgen generate, which writes it"})
		default:
			missing = append(missing, VersionMismatch{Path: folder, Message: "has no function New, which " + wiringPath +
				" calls: add func New(operator.Manager) (operator.Controller, error)"})
		}
	}
	code := codeIn(files, ".")
	switch {
	case code.broken || slices.Contains(code.functions, "main"):
	case createsFileIn(changes, "."):
		missing = append(missing, VersionMismatch{Path: "main.go", Message: "is missing, and no other file here has func main: run opgen generate"})
	default:
		missing = append(missing, VersionMismatch{Path: code.first, Message: "the project has no func main: add func main() { operator.Main(controllers) }"})
	}
	return missing
}

// wiredFolders returns the folders of the project's packages that the wiring imports.
func wiredFolders(changes *tree.Changes, module string) []string {
	var folders []string
	for _, c := range changes.List() {
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

// createsFileIn reports whether a Once file of Go code will be written into a folder, so that its
// functions are not missing.
func createsFileIn(changes *tree.Changes, folder string) bool {
	return slices.ContainsFunc(changes.List(), func(change tree.Change) bool {
		return change.Action == tree.Create && change.Owner == tree.Once && path.Dir(change.Path) == folder && isCode(path.Base(change.Path))
	})
}

// code is the hand-written code of a package.
type code struct {
	functions []string // without methods
	first     string   // the first file; main.go if there is one
	broken    bool     // a file cannot be parsed
}

// codeIn parses the hand-written Go files of a folder that are built on this platform and are not
// tests.
func codeIn(files fs.FS, folder string) code {
	var found code
	platform := build.Default
	platform.OpenFile = func(name string) (io.ReadCloser, error) { return files.Open(filepath.ToSlash(name)) }
	names, _ := fs.Glob(files, path.Join(folder, "*.go"))
	for _, name := range names {
		base := path.Base(name)
		if !isCode(base) || tree.IsGeneratedName(base) {
			continue
		}
		if found.first == "" || base == "main.go" {
			found.first = name
		}
		if built, err := platform.MatchFile(folder, base); err != nil || !built {
			continue
		}
		source, err := fs.ReadFile(files, name)
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
