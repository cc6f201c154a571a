package scaffold

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// registrationIn returns what the hand-written files of a package say of how its kinds are
// registered, as kubebuilder's groupversion_info.go and the init functions beside the types do.
func registrationIn(tree fs.FS, dir string) gomodel.Registration {
	found := gomodel.Registration{Declared: map[string]bool{}, Used: map[string]bool{}, Types: map[string]bool{}, Made: map[string]bool{}}
	for _, file := range handWritten(tree, dir) {
		declared := declaredIn(file)
		for _, name := range declared.types {
			found.Types[name] = true
		}
		for _, name := range slices.Concat(declared.values, declared.functions) {
			found.Declared[name] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if ident, ok := n.(*ast.Ident); ok {
				found.Used[ident.Name] = true
			}
			if name := madeBy(n); name != "" {
				found.Made[name] = true
			}
			if functions, ok := isRegistration(n); ok {
				found.ByFunctions = found.ByFunctions || functions
			}
			return true
		})
	}
	return found
}

// handWritten returns the Go files of a folder, parsed, that are no tests and that opgen does not
// generate.
func handWritten(tree fs.FS, dir string) (files []*ast.File) {
	names, err := fs.Glob(tree, path.Join(dir, "*.go"))
	if err != nil {
		return nil
	}
	for _, name := range names {
		source, err := fs.ReadFile(tree, name)
		if err != nil || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(path.Base(name), "zz_generated.") {
			continue
		}
		if parsed, _ := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution); parsed != nil {
			files = append(files, parsed)
		}
	}
	return files
}

// madeBy returns the name of the type of which a node makes a pointer to a value, as in &T{}.
func madeBy(n ast.Node) string {
	address, ok := n.(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return ""
	}
	if literal, ok := address.X.(*ast.CompositeLit); ok {
		if name, ok := literal.Type.(*ast.Ident); ok {
			return name.Name
		}
	}
	return ""
}

// isRegistration reports whether a node is a call of SchemeBuilder.Register or makes a
// SchemeBuilder, and whether that takes functions, as apimachinery's does, or else objects, as
// controller-runtime's.
func isRegistration(n ast.Node) (functions, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false, false
	}
	called, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case !ok:
		return false, false
	case called.Sel.Name == "NewSchemeBuilder":
		return true, true
	}
	builder, isName := called.X.(*ast.Ident)
	if !isName || builder.Name != "SchemeBuilder" || called.Sel.Name != "Register" || len(call.Args) == 0 {
		return false, false
	}
	address, isAddress := call.Args[0].(*ast.UnaryExpr)
	return !isAddress || address.Op != token.AND, true
}

// warnOfLists warns of kinds without a list, which is generated.
func (a *authors) warnOfLists(pkg gomodel.Package) {
	for _, k := range pkg.Kinds {
		if !pkg.LacksList(k) || slices.Contains(k.API.AcceptWarnings, spec.WarnMarkers) {
			continue
		}
		i := slices.IndexFunc(k.API.Versions, func(v spec.Version) bool { return v.Name == pkg.Version })
		at := fmt.Sprintf("versions[%d].goTypes", i)
		a.warnings = append(a.warnings, spec.Problem{
			Pos: k.API.At[at], Path: at, Warning: spec.WarnMarkers,
			Message: "package " + pkg.Dir + " has no type " + k.List + ", which opgen generates", Hint: "declare it beside " + k.Name + " if other tools are to read the package",
		})
	}
}

// checkRegistration reports kinds that no generated code can register: their package has an
// AddToScheme, and nothing to add them to.
func (a *authors) checkRegistration(pkg gomodel.Package) {
	has := pkg.Registration
	if !has.Declared["AddToScheme"] || has.Declared["SchemeBuilder"] || has.Used["SchemeBuilder"] {
		return
	}
	for _, k := range pkg.Registered() {
		a.problems = append(a.problems, spec.Problem{
			Pos: k.API.Place("names.kind"), Path: "names.kind",
			Message: "package " + pkg.Dir + " has an AddToScheme that does not know " + k.Name,
			Hint:    "remove it, and opgen generates one, or make it from a SchemeBuilder in the same package",
		})
	}
}

// keepDeepCopies has files with deepcopy code stay as they are where controller-gen has generated
// the same code: only what comes before the package clause differs, such as a license.
func (a *authors) keepDeepCopies(code map[string][]byte) {
	for _, pkg := range a.packages {
		old, err := fs.ReadFile(a.tree, path.Join(pkg.Dir, deepCopyFile))
		if err == nil && byControllerGen(old) && code[pkg.ImportPath] != nil && bytes.Equal(afterPackage(unixLines(old)), afterPackage(code[pkg.ImportPath])) {
			code[pkg.ImportPath] = old
		}
	}
}

func afterPackage(code []byte) []byte {
	_, after, _ := bytes.Cut(code, []byte("\npackage "))
	return after
}
