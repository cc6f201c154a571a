package gotypes

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/opgen-dev/opgen/internal/spec"
)

// checkGroup reports where the author's files of a package say another group or version than the API
// file: in the markers groupName and versionName, and in GroupVersion or SchemeGroupVersion.
func (r *reader) checkGroup(pkg *loader.Package, kind KindVersion) {
	pkg.NeedTypesInfo()
	for _, file := range pkg.Syntax {
		name := r.program.positions.ofNode(file).File
		if strings.HasPrefix(filepath.Base(name), "zz_generated.") {
			continue
		}
		for _, c := range commentsIn(file, token.NoPos, file.End()) {
			name, value, _ := strings.Cut(c.text, "=")
			value = strings.Trim(strings.TrimSpace(value), "\"`")
			switch strings.TrimSuffix(name, ":") { // as in +groupName:=demo.example.com
			case "+groupName":
				r.compareGroup(kind, "group", "+groupName says", value, c.at)
			case "+versionName":
				r.compareGroup(kind, "version", "+versionName says", value, c.at)
			}
		}
		for _, found := range groupVersionsIn(file) {
			for i, key := range []string{"group", "version"} {
				if value := found.fields[i]; value != nil {
					r.compareGroup(kind, key, found.variable+" has", constantText(pkg.TypesInfo, value), value.Pos())
				}
			}
		}
	}
}

// compareGroup reports a group or version in a Go file that is another one than in the API file. An
// empty one is not known.
func (r *reader) compareGroup(kind KindVersion, key, who, inGo string, at token.Pos) {
	inFile, path := kind.API.Group, "group"
	if key == "version" {
		inFile, path = kind.API.Versions[kind.Version].Name, "versions["+strconv.Itoa(kind.Version)+"].name"
	}
	if inGo == "" || inGo == inFile {
		return
	}
	r.problems = append(r.problems, spec.Problem{
		Pos:     r.program.positions.position(at),
		Message: who + " the " + key + " " + inGo + ", and " + kind.API.File + " has " + path + ": " + inFile,
		Hint:    "the file decides: correct the Go code, or write " + inGo + " at " + kind.API.PositionOf(path).String(),
	})
}

// groupVersion is a variable that holds a GroupVersion, with the expressions of its group and its
// version; nil if it does not set them.
type groupVersion struct {
	variable string
	fields   [2]ast.Expr
}

// groupVersionsIn returns the variables GroupVersion and SchemeGroupVersion that a file sets to a
// literal.
func groupVersionsIn(file *ast.File) (found []groupVersion) {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range general.Specs {
			value, ok := s.(*ast.ValueSpec)
			if !ok || len(value.Values) != len(value.Names) {
				continue
			}
			for i, name := range value.Names {
				literal, ok := value.Values[i].(*ast.CompositeLit)
				if ok && (name.Name == "GroupVersion" || name.Name == "SchemeGroupVersion") {
					found = append(found, groupVersion{name.Name, fieldsOf(literal)})
				}
			}
		}
	}
	return found
}

// fieldsOf returns the first two fields of a GroupVersion literal, with or without their names.
func fieldsOf(literal *ast.CompositeLit) (fields [2]ast.Expr) {
	for i, element := range literal.Elts {
		named, ok := element.(*ast.KeyValueExpr)
		switch {
		case !ok && i < len(fields):
			fields[i] = element
		case ok && isIdent(named.Key, "Group"):
			fields[0] = named.Value
		case ok && isIdent(named.Key, "Version"):
			fields[1] = named.Value
		}
	}
	return fields
}

func isIdent(expr ast.Expr, name string) bool {
	ident, ok := expr.(*ast.Ident)
	return ok && ident.Name == name
}

// constantText returns the text of a literal or of the name of a constant, and "" if it is not known.
func constantText(info *types.Info, expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(expr.Value)
		return text
	case *ast.SelectorExpr:
		return constantText(info, expr.Sel)
	case *ast.Ident:
		if c, ok := info.ObjectOf(expr).(*types.Const); ok && c.Val().Kind() == constant.String {
			return constant.StringVal(c.Val())
		}
	}
	return ""
}
