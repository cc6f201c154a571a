package kubebuilder

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// metaPackage is the package with TypeMeta and ObjectMeta.
const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// declared is a kind, in one version, that the Go code of the project declares: a struct that embeds TypeMeta and
// ObjectMeta, as controller-gen finds kinds.
type declared struct {
	dir     string // of its package
	group   string // by +groupName; empty: its package has none
	version string
	pkg     string // the name of the package, which +versionName may have otherwise
	kind    string
	pos     spec.Pos
}

// packageMarker matches the markers of a package that name its group and its version.
var packageMarker = lazyregexp.New(`^//\s*\+(groupName|versionName):?=\s*"?([^\s"]+)`)

// declaredKinds returns the kinds that the Go code of a project declares, in the order of their folders.
func declaredKinds(tree fs.FS) ([]declared, error) {
	var kinds []declared
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case name != "." && isSkipped(entry.Name()):
			return fs.SkipDir
		}
		kinds = append(kinds, kindsIn(tree, name)...)
		return nil
	})
	return kinds, err
}

// isSkipped reports whether the go command, and so controller-gen, does not look into a folder of a name.
func isSkipped(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains([]string{"vendor", "testdata", "node_modules"}, name)
}

// kindsIn returns the kinds that the package in a folder declares.
func kindsIn(tree fs.FS, dir string) []declared {
	names, _ := fs.Glob(tree, path.Join(dir, "*.go")) // the pattern is valid
	var kinds []declared
	group, version := "", ""
	for _, name := range names {
		source, err := fs.ReadFile(tree, name)
		isRelevant := strings.Contains(string(source), "+groupName") || strings.Contains(string(source), "+versionName") || strings.Contains(string(source), "ObjectMeta")
		if err != nil || strings.HasSuffix(name, "_test.go") || !isRelevant {
			continue
		}
		files := token.NewFileSet()
		file, _ := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		said := packageMarkers(file)
		group, version = cmp.Or(group, said["groupName"]), cmp.Or(version, said["versionName"])
		for _, declaredType := range objectTypes(file) {
			at := files.Position(declaredType.Name.Pos())
			kinds = append(kinds, declared{
				dir: dir, version: file.Name.Name, pkg: file.Name.Name, kind: declaredType.Name.Name,
				pos: spec.Pos{File: name, Line: at.Line, Column: at.Column},
			})
		}
	}
	for i := range kinds {
		kinds[i].group, kinds[i].version = group, cmp.Or(version, kinds[i].version)
	}
	return kinds
}

// packageMarkers returns the markers of a file that name the group and the version of its package.
func packageMarkers(file *ast.File) map[string]string {
	said := map[string]string{}
	for _, group := range file.Comments {
		for _, line := range group.List {
			if match := packageMarker().FindStringSubmatch(line.Text); match != nil {
				said[match[1]] = match[2]
			}
		}
	}
	return said
}

// objectTypes returns the structs of a file that embed TypeMeta and ObjectMeta.
func objectTypes(file *ast.File) (found []*ast.TypeSpec) {
	meta := ""
	for _, imported := range file.Imports {
		if importPath(imported) == metaPackage {
			meta = importName(imported)
		}
	}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || meta == "" {
			continue
		}
		for _, s := range general.Specs {
			declaredType, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			structType, ok := declaredType.Type.(*ast.StructType)
			if ok && embeds(structType, meta, "TypeMeta") && embeds(structType, meta, "ObjectMeta") {
				found = append(found, declaredType)
			}
		}
	}
	return found
}

// embeds reports whether a struct embeds a type of another package.
func embeds(structType *ast.StructType, pkg, name string) bool {
	return slices.ContainsFunc(structType.Fields.List, func(f *ast.Field) bool {
		on, selected := splitSelector(f.Type)
		return len(f.Names) == 0 && on == pkg && selected == name
	})
}
