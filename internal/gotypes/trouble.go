package gotypes

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

var goGet = lazyregexp.New(`go get \S+`)

// troubleWith returns why a package could not be read, nil if it could.
func (p *program) troubleWith(path string) *trouble {
	pkg := p.roots[path]
	if pkg == nil {
		return &trouble{"there is no package " + path, ""}
	}
	switch {
	case len(pkg.Errors) > 0 && len(pkg.GoFiles) > 0:
		return &trouble{"package " + path + " cannot be read: " + firstLine(pkg.Errors[0].Msg), "see " + p.positions.shortPosition(pkg.Errors[0].Pos)}
	case len(pkg.Errors) > 0:
		return p.missingModule(path, pkg.Errors[0].Msg)
	case pkg.Name == "main":
		return &trouble{"package " + path + " is a program, which nothing can import", "move the type to a package of its own"}
	}
	return nil
}

// missingModule returns what to do about a package that the go command does not find.
func (p *program) missingModule(path, message string) *trouble {
	own := p.source.modulePath()
	first, _, _ := strings.Cut(path, "/")
	switch get := goGet().FindString(message); {
	case path == own || strings.HasPrefix(path, own+"/"):
		return &trouble{"there is no package " + path, "this module has no Go files in " + "." + strings.TrimPrefix(path, own)}
	case strings.Contains(message, "vendor"):
		return &trouble{"vendor/ does not have the package " + path, "import it in a Go file of the project, then run: go mod vendor"}
	case get != "":
		return &trouble{"no module of go.mod has the package " + path, "run: " + get}
	case strings.Contains(first, "."):
		return &trouble{"no module of go.mod has the package " + path, "run: go get " + path}
	}
	return &trouble{"there is no package " + path, "an import path starts with that of its module, such as " + own + "/internal/shared"}
}

// modulePath returns the path of the module that the folder belongs to.
func (s Source) modulePath() string {
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return modfile.ModulePath(text)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// unprovided matches the package that the go command finds in no module.
var unprovided = lazyregexp.New(`provid(?:ing|es) package ([^\s:;]+)`)

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSuffix(line, ":")
}

// checkImport returns why a package cannot import another, nil if it can. It checks import cycles
// and internal packages.
func (p *program) checkImport(path, importer string) *trouble {
	if importer == "" {
		return nil
	}
	if parent, internal := internalTo(path); internal && importer != parent && !strings.HasPrefix(importer, parent+"/") {
		return &trouble{"package " + path + " is internal to " + parent + ", so that " + importer + " cannot import it", "use a type of a package that is public"}
	}
	if path == importer || importsPackage(p.roots[path], importer) {
		return &trouble{
			"package " + path + " cannot be imported by " + importer + ", which it is part of or imports itself",
			"move the type to a package of its own, such as internal/shared",
		}
	}
	return nil
}

// internalTo returns the folder whose packages can import an internal package, and whether it is
// one.
func internalTo(path string) (string, bool) {
	switch at := strings.LastIndex("/"+path+"/", "/internal/"); {
	case at > 0:
		return path[:at-1], true
	case at == 0:
		return "std", true
	}
	return "", false
}

// importsPackage reports whether a package imports another one, directly or indirectly.
func importsPackage(pkg *loader.Package, path string) bool {
	if pkg == nil {
		return false
	}
	found := false
	packages.Visit([]*packages.Package{pkg.Package}, func(imported *packages.Package) bool {
		found = found || imported.PkgPath == path
		return !found
	}, nil)
	return found
}

// isShownInJSON reports whether a field with the struct tag is part of the JSON.
func isShownInJSON(tag string) bool {
	json, ok := reflect.StructTag(tag).Lookup("json")
	return ok && json != "-"
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// problemOf returns an error of a package as a problem at its position. It reports false for errors
// about types of packages that are not needed and so were not read.
func (p *program) problemOf(err packages.Error, own bool) (spec.Problem, bool) {
	if twice := own && strings.Contains(err.Msg, "redeclared"); err.Kind == packages.TypeError && !twice {
		return spec.Problem{}, false
	}
	if strings.HasPrefix(err.Msg, "encountered struct field ") {
		return spec.Problem{}, false // checkUntagged reports it if it is part of the JSON
	}
	problem := p.rewordError(err)
	if match := unprovided().FindStringSubmatch(err.Msg); match != nil && err.Kind == packages.ListError {
		t := p.missingModule(match[1], err.Msg)
		problem.Message, problem.Hint = t.message, t.hint
	}
	return problem, own || filepath.IsLocal(problem.Pos.File)
}
