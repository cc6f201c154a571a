package kubebuilder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// program is the function of a main package that makes the manager and starts it.
type program struct {
	path    string // of its file, from the folder of the project
	source  []byte
	files   *token.FileSet
	file    *ast.File
	imports map[string]*ast.ImportSpec // by the name that they have in the file
	values  map[string]*ast.ValueSpec  // package-level variables and constants of the file
	others  map[string]bool            // other package-level names of the package
	body    []ast.Stmt                 // of the function
	returns bool                       // the function returns an error
	made    int                        // index in body of the statement that makes the manager
	manager string                     // the variable that holds it
	options *ast.CompositeLit          // of the manager; nil if they are made elsewhere
}

// MainFiles returns the Go files in which a main of kubebuilder may be: those of cmd, and of the folders in
// it.
func MainFiles(tree fs.FS) []string {
	var files []string
	for _, pattern := range []string{"cmd/*.go", "cmd/*/*.go"} {
		found, _ := fs.Glob(tree, pattern) // the pattern is valid
		files = append(files, found...)
	}
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
}

// findProgram returns the program of a project; nil if no function makes a manager and is in a package
// main.
func findProgram(tree fs.FS) *program {
	for _, name := range MainFiles(tree) {
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			continue
		}
		p := &program{path: name, source: source, files: token.NewFileSet()}
		p.file, _ = parser.ParseFile(p.files, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if p.file == nil || p.file.Name.Name != "main" || !p.findManager() {
			continue
		}
		p.readNames(tree)
		return p
	}
	return nil
}

// findManager finds the function with the statement that makes the manager.
func (p *program) findManager() bool {
	for _, decl := range p.file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		for i, statement := range function.Body.List {
			assign, ok := statement.(*ast.AssignStmt)
			if !ok || len(assign.Rhs) != 1 || !isNewManager(assign.Rhs[0]) {
				continue
			}
			if name, ok := assign.Lhs[0].(*ast.Ident); ok {
				p.body, p.made, p.manager = function.Body.List, i, name.Name
				p.returns = returnsError(function.Type)
				p.options = p.optionsOf(assign.Rhs[0].(*ast.CallExpr))
				return true
			}
		}
	}
	return false
}

// isNewManager reports whether an expression is ctrl.NewManager(…) or manager.New(…).
func isNewManager(expr ast.Expr) bool {
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return false
	}
	on, name := splitSelector(call.Fun)
	return name == "NewManager" || on == "manager" && name == "New"
}

// calledBy returns the receiver or package, and the name, of the function that a statement calls; empty for
// a statement that does something else.
func calledBy(statement ast.Stmt) (on, name string) {
	if expr, ok := statement.(*ast.ExprStmt); ok {
		if call, ok := expr.X.(*ast.CallExpr); ok {
			return splitSelector(call.Fun)
		}
	}
	return "", ""
}

// splitSelector returns the names in an expression x.Name; empty for another expression.
func splitSelector(expr ast.Expr) (on, name string) {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if ident, ok := selector.X.(*ast.Ident); ok {
		on = ident.Name
	}
	return on, selector.Sel.Name
}

func returnsError(function *ast.FuncType) bool {
	if function.Results == nil || len(function.Results.List) != 1 {
		return false
	}
	result, ok := function.Results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "error"
}

// optionsOf returns the options in the call that makes the manager, which may be in a variable.
func (p *program) optionsOf(call *ast.CallExpr) *ast.CompositeLit {
	if len(call.Args) == 0 {
		return nil
	}
	switch options := call.Args[len(call.Args)-1].(type) {
	case *ast.CompositeLit:
		return options
	case *ast.Ident:
		for _, statement := range p.body {
			if assign, ok := statement.(*ast.AssignStmt); ok && isIdentNamed(assign.Lhs[0], options.Name) {
				literal, _ := assign.Rhs[0].(*ast.CompositeLit)
				return literal
			}
		}
	}
	return nil
}

func isIdentNamed(expr ast.Expr, name string) bool {
	ident, ok := expr.(*ast.Ident)
	return ok && ident.Name == name
}

// readNames reads what names mean in the file of the program.
func (p *program) readNames(tree fs.FS) {
	p.imports, p.values, p.others = map[string]*ast.ImportSpec{}, map[string]*ast.ValueSpec{}, map[string]bool{}
	for _, imported := range p.file.Imports {
		p.imports[importName(imported)] = imported
	}
	names, _ := fs.Glob(tree, path.Dir(p.path)+"/*.go") // the pattern is valid
	for _, name := range names {
		file := p.file
		if name != p.path {
			source, _ := fs.ReadFile(tree, name)
			file, _ = parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		}
		if file == nil {
			continue
		}
		for _, decl := range file.Decls {
			p.addNames(decl, file == p.file)
		}
	}
}

// addNames adds the names that a declaration at package level declares.
func (p *program) addNames(decl ast.Decl, own bool) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			p.others[decl.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range decl.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				p.others[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if own && len(s.Names) == 1 && len(s.Values) == 1 {
						p.values[name.Name] = s
					} else {
						p.others[name.Name] = true
					}
				}
			}
		}
	}
}

// majorVersion matches the last element of an import path that only says which version it is.
var majorVersion = lazyregexp.New(`^v[2-9][0-9]*$`)

// importName returns the name that an import has in its file. Without one of its own it is that of the
// package, which most paths end in.
func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	importPath := importPath(s)
	base := path.Base(importPath)
	if majorVersion().MatchString(base) {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".v") // gopkg.in/yaml.v3
	return base
}

func importPath(s *ast.ImportSpec) string {
	unquoted, _ := strconv.Unquote(s.Path.Value) // the parser has checked it
	return unquoted
}

// text returns the source of a node.
func (p *program) text(n ast.Node) string {
	return string(p.source[p.offset(n.Pos()):p.offset(n.End())])
}

func (p *program) offset(at token.Pos) int { return p.files.Position(at).Offset }

// position returns where a node is.
func (p *program) position(n ast.Node) spec.Pos {
	at := p.files.Position(n.Pos())
	return spec.Pos{File: p.path, Line: at.Line, Column: at.Column}
}
