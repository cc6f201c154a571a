package kubebuilder

import (
	"go/parser"
	"go/token"
	"io/fs"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// CheckRoot returns problems for files in the place of opgen's: YAML files among its spec files, and Go files in the folder
// of its main, unless an opgen that was stopped has written them. Files with a build constraint, such as
// tools.go, are of no package that is built.
func CheckRoot(files fs.FS) spec.Problems {
	names, _ := fs.Glob(files, "*.go") // the pattern is valid
	problems := checkSpecFolders(files)
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		text := "\n" + string(source)
		isOpgens := tree.IsGeneratedName(name) || strings.Contains(text, "github.com/opgen-dev/opgen/runtime/operator")
		if err != nil || isOpgens || strings.HasSuffix(name, "_test.go") || strings.Contains(text, "\n//go:build ") {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, source, parser.PackageClauseOnly)
		if file == nil {
			continue
		}
		hint := moveRootPackage(files, name, file.Name.Name)
		if file.Name.Name == "main" {
			hint = "git mv " + name + " cmd/" + name + namingMain(files, name)
		}
		problems = append(problems, spec.Problem{
			Pos: spec.Pos{File: name}, Message: "is in the folder in which opgen puts its own main", Hint: hint,
		})
	}
	return problems
}

// checkSpecFolders returns problems for YAML files where opgen reads its spec files. Projects of kubebuilder 3 have Go files
// in controllers, and what these embed.
func checkSpecFolders(files fs.FS) (problems spec.Problems) {
	for _, dir := range []string{"api", "controllers"} {
		for _, ext := range []string{"yaml", "yml"} {
			names, _ := fs.Glob(files, dir+"/*."+ext) // the pattern is valid
			for _, name := range names {
				data, err := fs.ReadFile(files, name)
				if err != nil || strings.Contains(string(data), "apiVersion: opgen.dev/") { // of an init that was stopped
					continue
				}
				problems = append(problems, spec.Problem{
					Pos: spec.Pos{File: name}, Message: "is in a folder of which opgen reads all YAML files as spec files",
					Hint: "move it to a folder below, such as " + dir + "/embedded, and change its name where it is embedded or read",
				})
			}
		}
	}
	return problems
}

// moveRootPackage returns how a file of a package that others import gets into a folder of its own.
func moveRootPackage(files fs.FS, name, pkg string) string {
	_, module := moduleOf(files, ".")
	if module == "" {
		return "move the package to a folder below, and change its import path"
	}
	return "move the package, and change its import path:\n    mkdir -p " + pkg + " && git mv " + name + " " + pkg + "/ && git grep -lF '\"" + module +
		"\"' | xargs perl -pi -e 's#\"\\Q" + module + "\\E\"#\"" + module + "/" + pkg + "\"#g'"
}

// namingMain returns where the Makefile and the Dockerfile name a file, as the end of a hint.
func namingMain(files fs.FS, name string) string {
	var lines []string
	for _, file := range []string{"Makefile", "Dockerfile"} {
		for i, line := range readLines(files, file) {
			if strings.Contains(line, name) && !strings.Contains(line, "cmd/"+name) {
				lines = append(lines, file+":"+strconv.Itoa(i+1))
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ", and write cmd/" + name + " in " + strings.Join(lines, ", ")
}
