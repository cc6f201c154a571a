package kubebuilder

import (
	"go/ast"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// SetupFile is the file with the function that registers what the author's main registers.
const SetupFile = "setup.go"

// Setup is that function, as a file, and what it does not do although the author's main does.
type Setup struct {
	Content []byte
	// Left are warnings: statements of the author's main that are not carried over, each with what to
	// do by hand.
	Left spec.Problems
	// From is the file of the author's main; empty if there is none that opgen understands.
	From string
}

// ReadSetup makes the function from the main of a project: what main does with the manager between
// making and starting it.
func ReadSetup(tree fs.FS) (Setup, error) {
	p := findProgram(tree)
	if p == nil {
		content, err := templates.SetupFile(templates.SetupView{Manager: "mgr", Imports: []string{`"errors"`}, Missing: "register your types, controllers and webhooks in " + SetupFile})
		return Setup{Content: content, Left: spec.Problems{{
			Pos:     spec.Pos{File: "cmd"},
			Message: "no function of a package main here makes a manager with ctrl.NewManager, so that nothing is registered",
			Hint:    "call AddToScheme, SetupWithManager and SetupWebhookWithManager in " + SetupFile + " as your main does",
		}}}, err
	}
	c := &carrier{p, carriage{
		carried: map[ast.Stmt]string{}, locals: map[string]bool{}, uses: map[string]bool{}, used: map[string]bool{}, globals: map[string]bool{},
	}}
	view := templates.SetupView{From: p.path, Manager: p.manager}
	left := c.carryAll()
	if len(left) > 0 {
		view.Missing = "write by hand what " + left[0].Pos.String() + " does: " + SetupFile + " does not do it yet"
	}
	schemes, unknown := c.schemeCalls()
	view.Schemes = schemes
	left = append(append(left, unknown...), p.otherOptions()...)
	view.Statements, view.Globals = c.statements(), c.globalTexts()
	view.Error = c.errNamed
	view.Imports = c.importSpecs(len(view.Schemes) > 0 || view.Missing != "")
	content, err := templates.SetupFile(view)
	return Setup{Content: content, Left: left, From: p.path}, err
}

// carryAll carries over the statements between the one that makes the manager and the one that starts
// it. It returns warnings about the others.
func (c *carrier) carryAll() spec.Problems {
	var left spec.Problems
	for i, statement := range c.body[c.made+1:] {
		if c.calls(statement, "Start") {
			break
		}
		if i == 0 && checksOneOf(statement, identNames(c.body[c.made].(*ast.AssignStmt).Lhs)) || c.isPing(statement) || c.isLog(statement) {
			continue
		}
		if reason := c.carryWhole(statement); reason != "" {
			left = append(left, spec.Problem{
				Pos: c.position(statement), Message: c.summary(statement) + " is not carried over: " + reason,
				Hint: "write it by hand in " + SetupFile + "; until then, the operator does not start",
			})
		}
	}
	return left
}

// summary returns what a statement does, for people: the call of a method with the manager in it, or
// its first line.
func (c *carrier) summary(statement ast.Stmt) string {
	summary := ""
	ast.Inspect(statement, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && summary == "" && slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return isIdentNamed(a, c.manager) }) {
			summary = c.text(call.Fun) + "(" + c.manager + ")"
		}
		return true
	})
	if summary == "" {
		summary = c.text(statement)
	}
	first, _, more := strings.Cut(summary, "\n")
	if more {
		last := summary[strings.LastIndex(summary, "\n")+1:]
		return first + "…" + strings.TrimSpace(last)
	}
	return first
}

// calls reports whether a statement calls a method of the manager.
func (c *carrier) calls(statement ast.Stmt, methods ...string) bool {
	found := false
	ast.Inspect(statement, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			on, name := splitSelector(call.Fun)
			found = found || on == c.manager && slices.Contains(methods, name)
		}
		return true
	})
	return found
}

// isPing reports whether a statement adds the checks that opgen's main has as well.
func (c *carrier) isPing(statement ast.Stmt) bool {
	return c.calls(statement, "AddHealthzCheck", "AddReadyzCheck") && strings.Contains(c.text(statement), "healthz.Ping")
}

// isLog reports whether a statement only logs a line.
func (c *carrier) isLog(statement ast.Stmt) bool {
	_, name := calledBy(statement)
	return slices.Contains([]string{"Info", "Infof", "InfoS", "Debug", "Print", "Printf", "Println"}, name) && !c.calls(statement, "Add")
}

// schemeCalls returns the functions that add types to the scheme of the program, but for those of
// client-go, which opgen's scheme has already. It also returns warnings about those that no other
// package can call.
func (c *carrier) schemeCalls() (functions []string, left spec.Problems) {
	ast.Inspect(c.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !c.isSchemeArgument(call.Args[0]) {
			return true
		}
		root := rootName(call.Fun)
		switch imported := c.imports[root]; {
		case imported == nil:
			left = append(left, spec.Problem{
				Pos: c.position(call), Message: c.text(call) + " is not carried over: it is no function of another package",
				Hint: "add these types to " + c.manager + ".GetScheme() in " + SetupFile,
			})
		case importPath(imported) != "k8s.io/client-go/kubernetes/scheme":
			c.used[root] = true
			functions = append(functions, c.text(call.Fun))
		}
		return true
	})
	return functions, left
}

// isSchemeArgument reports whether an expression is the program's scheme, or that of client-go.
func (c *carrier) isSchemeArgument(expr ast.Expr) bool {
	if ident, ok := expr.(*ast.Ident); ok {
		return c.isScheme(ident.Name)
	}
	on, name := splitSelector(expr)
	return name == "Scheme" && c.imports[on] != nil && importPath(c.imports[on]) == "k8s.io/client-go/kubernetes/scheme"
}

// rootName returns a for the expression a.b.c.
func rootName(expr ast.Expr) string {
	for {
		selector, ok := expr.(*ast.SelectorExpr)
		if !ok {
			ident, _ := expr.(*ast.Ident)
			if ident == nil {
				return ""
			}
			return ident.Name
		}
		expr = selector.X
	}
}

// knownOptions are the options of a manager that opgen's main has flags for, or that change nothing.
var knownOptions = []string{
	"Scheme", "Metrics", "MetricsBindAddress", "Port", "Host", "CertDir", "WebhookServer", "HealthProbeBindAddress", "PprofBindAddress",
	"LeaderElection", "LeaderElectionID", "LeaderElectionNamespace", "LeaderElectionReleaseOnCancel", "Logger",
}

// otherOptions returns warnings about the options of the manager that opgen's main does not have.
func (p *program) otherOptions() spec.Problems {
	if p.options == nil {
		return nil
	}
	var left spec.Problems
	for _, element := range p.options.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := pair.Key.(*ast.Ident)
		switch {
		case !ok || slices.Contains(knownOptions, key.Name) && !p.isForeignScheme(key.Name, pair.Value):
		case key.Name == "Scheme":
			left = append(left, spec.Problem{
				Pos: p.position(pair), Message: "the types of the scheme " + p.text(pair.Value) + " are not known",
				Hint: "add them to " + p.manager + ".GetScheme() in " + SetupFile,
			})
		default:
			left = append(left, spec.Problem{
				Pos: p.position(pair), Message: "the option " + key.Name + " of the manager is not carried over",
				Hint: "opgen's manager decides this itself; docs/operating.md lists its flags",
			})
		}
	}
	return left
}

// isForeignScheme reports whether an option is a scheme that the program does not make itself.
func (p *program) isForeignScheme(option string, value ast.Expr) bool {
	if option != "Scheme" {
		return false
	}
	ident, ok := value.(*ast.Ident)
	return !ok || !p.isScheme(ident.Name)
}

// statements returns the statements that are carried over, in the order of the program. A variable that
// only statements use which are not carried over would not compile.
func (c *carrier) statements() []string {
	byPosition := slices.SortedFunc(maps.Keys(c.carried), func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) })
	var texts []string
	for _, statement := range byPosition {
		texts = append(texts, c.carried[statement])
		for _, name := range declaredAt(statement) {
			if name != "_" && c.locals[name] && !c.uses[name] {
				texts = append(texts, "_ = "+name)
			}
		}
	}
	return texts
}

// globalTexts returns the declarations of the package-level values that statements use.
func (c *carrier) globalTexts() []string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.globals)) {
		value := c.values[name]
		keyword := "var "
		for _, decl := range c.file.Decls {
			if general, ok := decl.(*ast.GenDecl); ok && slices.Contains(general.Specs, ast.Spec(value)) {
				keyword = general.Tok.String() + " "
			}
		}
		texts = append(texts, keyword+c.text(value))
	}
	return texts
}

// importSpecs returns the imports of the function's file: those that the statements use, those that
// only link something, and the ones of the function itself.
func (c *carrier) importSpecs(joins bool) []string {
	if joins {
		c.used["errors"] = true
	}
	var specs []string
	for name, imported := range c.imports {
		if name == "_" || !c.used[name] {
			continue
		}
		text := imported.Path.Value
		if imported.Name != nil {
			text = imported.Name.Name + " " + text
		}
		specs = append(specs, text)
	}
	for _, imported := range c.file.Imports {
		if imported.Name != nil && imported.Name.Name == "_" {
			specs = append(specs, "_ "+imported.Path.Value)
		}
	}
	for _, own := range []string{"context", "errors", "fmt"} {
		if c.used[own] && c.imports[own] == nil {
			specs = append(specs, strconv.Quote(own))
		}
	}
	slices.Sort(specs)
	return specs
}
