package kubebuilder

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// freeNames returns the names in a node that it does not declare itself, without those in edits.
func (p *program) freeNames(node ast.Node, edits []edit) []*ast.Ident {
	declared := declaredBy(node)
	var free []*ast.Ident
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if n == nil || slices.ContainsFunc(edits, func(e edit) bool { return e.from <= n.Pos() && n.End() <= e.to }) {
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			if key, isName := n.Key.(*ast.Ident); !isName || p.imports[key.Name] != nil || p.values[key.Name] != nil {
				ast.Inspect(n.Key, visit) // no field of a struct
			}
			ast.Inspect(n.Value, visit)
			return false
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.Ident:
			if n.Name != "_" && !slices.Contains(declared, n.Name) {
				free = append(free, n)
			}
		}
		return true
	}
	ast.Inspect(node, visit)
	return free
}

// declaredBy returns the names that a node declares, anywhere in it.
func declaredBy(node ast.Node) []string {
	var names []string
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				names = append(names, identNames(n.Lhs)...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				names = append(names, identNames([]ast.Expr{n.Key, n.Value})...)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names = append(names, name.Name)
			}
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.Field:
			for _, name := range n.Names {
				names = append(names, name.Name)
			}
		}
		return true
	})
	return names
}

// declaredAt returns the names that a statement declares for those after it.
func declaredAt(statement ast.Stmt) []string {
	switch statement.(type) {
	case *ast.AssignStmt, *ast.DeclStmt:
		return declaredBy(statement)
	}
	return nil
}

func identNames(exprs []ast.Expr) (names []string) {
	for _, e := range exprs {
		if ident, ok := e.(*ast.Ident); ok {
			names = append(names, ident.Name)
		}
	}
	return names
}

// editsOf returns the edits that make a statement of a main one of a function that returns an error:
// blocks that end the process return the error instead. It returns a reason if there is none.
func (c *carrier) editsOf(statement ast.Stmt) (edits []edit, reason string) {
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // its returns are its own
		case *ast.DeferStmt:
			reason = "it would run when setup ends, not when the process does"
		case *ast.ReturnStmt:
			if !c.returns {
				reason = "it ends the process without an error"
			}
		case *ast.IfStmt:
			if ends := c.endsProcess(n.Body); ends {
				first, last := n.Body.List[0], n.Body.List[len(n.Body.List)-1]
				edits = append(edits, edit{first.Pos(), last.End(), c.errorReturn(n)})
				for _, part := range []ast.Node{n.Init, n.Cond, n.Else} {
					if part != nil {
						ast.Inspect(part, inspect)
					}
				}
				return false
			}
		case *ast.ExprStmt:
			if c.isExit(n) {
				reason = "it ends the process"
			}
		}
		return true
	}
	ast.Inspect(statement, inspect)
	return edits, reason
}

// endsProcess reports whether the last statement of a block ends the process: by a call, or by a
// return from main behind a log line.
func (c *carrier) endsProcess(block *ast.BlockStmt) bool {
	if len(block.List) == 0 {
		return false
	}
	last := block.List[len(block.List)-1]
	if result, ok := last.(*ast.ReturnStmt); ok {
		return !c.returns && len(result.Results) == 0 && len(block.List) > 1
	}
	return c.isExit(last)
}

// isExit reports whether a statement is os.Exit(…), log.Fatal(…) or the like.
func (c *carrier) isExit(statement ast.Stmt) bool {
	on, name := calledBy(statement)
	return on == "os" && name == "Exit" || strings.HasPrefix(name, "Fatal")
}

// errorReturn returns the return statement in the place of a block that logs an error and ends the
// process.
func (c *carrier) errorReturn(branch *ast.IfStmt) string {
	what := loggedIn(branch.Body)
	err := comparedWithNil(branch.Cond)
	switch {
	case err == "":
		c.used["errors"] = true
		return "return errors.New(" + strconv.Quote(what) + ")"
	case what == "":
		return "return " + err
	}
	c.used["fmt"] = true
	return "return fmt.Errorf(" + strconv.Quote(what+": %w") + ", " + err + ")"
}

// loggedIn returns what a log line in a block is about: its keys and values, such as controller
// captain, or else its message.
func loggedIn(block *ast.BlockStmt) string {
	for _, statement := range block.List {
		expr, ok := statement.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := expr.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		var texts []string
		for _, arg := range call.Args {
			if literal, ok := arg.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, _ := strconv.Unquote(literal.Value) // the parser has checked it
				text, _, _ = strings.Cut(text, "%")       // what follows is the error
				texts = append(texts, strings.TrimRight(text, ":, "))
			}
		}
		switch {
		case len(texts) > 2:
			return strings.Join(texts[1:], " ")
		case len(texts) > 0 && texts[0] != "":
			return strings.ToLower(texts[0][:1]) + texts[0][1:]
		}
	}
	return ""
}
