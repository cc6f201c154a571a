package kubebuilder

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// carrier decides which statements of a program another function can run, and how they read there.
type carrier struct {
	*program
	carriage
}

// carriage is what is carried over.
type carriage struct {
	carried  map[ast.Stmt]string // the statements, and their text
	locals   map[string]bool     // variables that they declare
	uses     map[string]bool     // variables that they use
	used     map[string]bool     // names of imports that they use
	globals  map[string]bool     // package-level values that they use
	errNamed string              // the error variable of the function, if they set it
}

func (c carriage) clone() carriage {
	return carriage{maps.Clone(c.carried), maps.Clone(c.locals), maps.Clone(c.uses), maps.Clone(c.used), maps.Clone(c.globals), c.errNamed}
}

// carryWhole adds a statement with all that it depends on, or nothing of it. It returns why it cannot be
// carried over, and "" if it was.
func (c *carrier) carryWhole(statement ast.Stmt) string {
	before := c.clone()
	reason := c.carry(statement)
	if reason != "" {
		c.carriage = before
	}
	return reason
}

// edit replaces the source between two positions.
type edit struct {
	from, to token.Pos
	text     string
}

// carry adds a statement with all that it depends on. It returns why it cannot be carried over, and ""
// if it was.
func (c *carrier) carry(statement ast.Stmt) string {
	if _, done := c.carried[statement]; done {
		return ""
	}
	edits, reason := c.editsOf(statement)
	if reason != "" {
		return reason
	}
	names := c.freeNames(statement, edits)
	for _, ident := range names {
		if reason := c.resolve(ident, &edits); reason != "" {
			return reason
		}
	}
	for _, name := range declaredAt(statement) {
		c.locals[name] = true
	}
	c.carried[statement] = c.apply(statement, edits)
	return ""
}

// resolve makes a name of a statement mean the same elsewhere. It returns why it cannot.
func (c *carrier) resolve(ident *ast.Ident, edits *[]edit) string {
	name := ident.Name
	switch {
	case c.locals[name]:
		c.uses[name] = true
		return ""
	case name == c.manager || types.Universe.Lookup(name) != nil:
		return ""
	case c.imports[name] != nil:
		c.used[name] = true
		return ""
	case c.isScheme(name):
		*edits = append(*edits, edit{ident.Pos(), ident.End(), c.manager + ".GetScheme()"})
		return ""
	case c.isError(name):
		c.errNamed = name
		return ""
	}
	if definition, then := c.definitionOf(name); definition != nil {
		c.uses[name] = true
		return c.carryDefinition(name, definition, then)
	}
	if value := c.values[name]; value != nil {
		for _, used := range c.freeNames(value.Values[0], nil) {
			if c.imports[used.Name] == nil && types.Universe.Lookup(used.Name) == nil {
				return "it uses " + name + ", which " + c.path + " makes from " + used.Name
			}
			c.used[used.Name] = c.imports[used.Name] != nil
		}
		c.globals[name] = true
		return ""
	}
	if c.others[name] {
		return fmt.Sprintf("it uses %s of %s, and no package can import a main: move %s to a package of its own", name, c.path, name)
	}
	return fmt.Sprintf("it uses %s, a variable of %s that flags or other statements set: take it from an environment variable, for example", name, c.path)
}

// carryDefinition carries over the statement that defines a variable, and the one that checks its
// error.
func (c *carrier) carryDefinition(name string, definition *ast.AssignStmt, check ast.Stmt) string {
	if _, call := calledIn(definition); call == "SetupSignalHandler" { // opgen's main handles signals
		c.carried[definition] = name + " := context.Background()"
		c.locals[name], c.used["context"] = true, true
		return ""
	}
	if reason := c.carry(definition); reason != "" {
		return reason
	}
	if check == nil {
		return ""
	}
	return c.carry(check)
}

// calledIn returns the function that the right side of an assignment calls.
func calledIn(assign *ast.AssignStmt) (on, name string) {
	if call, ok := assign.Rhs[0].(*ast.CallExpr); ok {
		return splitSelector(call.Fun)
	}
	return "", ""
}

// definitionOf returns the only statement that sets a variable of the function, and the one after it if
// that checks the error. It returns nil if others may set the variable as well, such as a flag.
func (c *carrier) definitionOf(name string) (definition *ast.AssignStmt, check ast.Stmt) {
	for i, statement := range c.body {
		assign, ok := statement.(*ast.AssignStmt)
		if !ok || i == c.made || !slices.ContainsFunc(assign.Lhs, func(e ast.Expr) bool { return isIdentNamed(e, name) }) {
			continue
		}
		if definition != nil || assign.Tok != token.DEFINE {
			return nil, nil
		}
		definition = assign
		if i+1 < len(c.body) && checksOneOf(c.body[i+1], declaredBy(assign)) {
			check = c.body[i+1]
		}
	}
	if definition == nil || c.isSetElsewhere(name, definition) {
		return nil, nil
	}
	return definition, check
}

// isSetElsewhere reports whether a variable is set below the statements of the function, or its
// address is taken.
func (c *carrier) isSetElsewhere(name string, definition ast.Stmt) bool {
	found := false
	for _, statement := range c.body {
		if statement == definition {
			continue
		}
		ast.Inspect(statement, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				found = found || n.Op == token.AND && isIdentNamed(n.X, name)
			case *ast.AssignStmt:
				isIt := func(e ast.Expr) bool { return isIdentNamed(e, name) }
				found = found || n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, isIt)
			}
			return true
		})
	}
	return found
}

// checksOneOf reports whether a statement is if x != nil { … } for one of some names.
func checksOneOf(statement ast.Stmt, names []string) bool {
	branch, ok := statement.(*ast.IfStmt)
	return ok && branch.Init == nil && slices.Contains(names, comparedWithNil(branch.Cond))
}

// comparedWithNil returns x for the expression x != nil.
func comparedWithNil(expr ast.Expr) string {
	binary, ok := expr.(*ast.BinaryExpr)
	if !ok || binary.Op != token.NEQ || !isIdentNamed(binary.Y, "nil") {
		return ""
	}
	if ident, ok := binary.X.(*ast.Ident); ok {
		return ident.Name
	}
	return ""
}

// isScheme reports whether a name is the scheme that the program makes.
func (p *program) isScheme(name string) bool {
	if value := p.values[name]; value != nil {
		return isNewScheme(value.Values[0])
	}
	for _, statement := range p.body {
		if assign, ok := statement.(*ast.AssignStmt); ok && isIdentNamed(assign.Lhs[0], name) && isNewScheme(assign.Rhs[0]) {
			return true
		}
	}
	return false
}

func isNewScheme(expr ast.Expr) bool {
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return false
	}
	_, name := splitSelector(call.Fun)
	return name == "NewScheme"
}

// isError reports whether a name is the error variable of the statement that makes the manager.
func (c *carrier) isError(name string) bool {
	assign := c.body[c.made].(*ast.AssignStmt)
	return len(assign.Lhs) == 2 && isIdentNamed(assign.Lhs[1], name)
}

// apply returns the source of a statement with edits.
func (c *carrier) apply(statement ast.Stmt, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	at := c.offset(statement.Pos())
	for _, e := range edits {
		out.Write(c.source[at:c.offset(e.from)])
		out.WriteString(e.text)
		at = c.offset(e.to)
	}
	out.Write(c.source[at:c.offset(statement.End())])
	return out.String()
}
