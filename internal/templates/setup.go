package templates

import "strings"

// SetupView is what setup.go does: a function that registers with the manager what an author's main
// registers.
type SetupView struct {
	From       string // the file of the author's main; empty if there is none
	Manager    string // the name of the parameter
	Imports    []string
	Globals    []string // declarations that the statements use
	Schemes    []string // functions that add types to a scheme
	Error      string   // the variable that statements assign errors to; empty: none
	Statements []string
	// Missing is the error that the function returns, as it does not do everything yet.
	Missing string
}

// StandardImports returns the imports of the standard library.
func (v SetupView) StandardImports() []string { return v.importsOf(true) }

// OtherImports returns the other imports.
func (v SetupView) OtherImports() []string { return v.importsOf(false) }

func (v SetupView) importsOf(standard bool) (specs []string) {
	for _, spec := range v.Imports {
		_, quoted, _ := strings.Cut(spec, `"`)
		first, _, _ := strings.Cut(quoted, "/")
		if strings.Contains(first, ".") != standard {
			specs = append(specs, spec)
		}
	}
	return specs
}

// SetupFile renders setup.go.
func SetupFile(view SetupView) ([]byte, error) { return renderGo("project/setup.go", view) }
