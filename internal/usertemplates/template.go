package usertemplates

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	extension = ".tmpl"
	// sharedPrefix starts the names of files that only define templates for others, as Helm's charts have it.
	sharedPrefix = "_"
)

// onceLine is the first line of a template whose files belong to the author once they are written.
const onceLine = "{{/* opgen: once */}}"

// scope is what a template makes a file for.
type scope int

const (
	perProject scope = iota
	perAPI
	perVersion
)

// Set is the templates of a folder.
type Set struct {
	source    string             // how messages and the lock name the folder
	templates []parsed           // in the order of their names
	shared    *template.Template // what the files of the folder define for each other
	depth     int                // of templates that include each other
}

// parsed is a template of a file.
type parsed struct {
	name  string // the path in the folder, with its extension
	path  *template.Template
	text  *template.Template
	scope scope
	once  bool
}

// Parse reads the templates of a folder and of those below it: all files that end in .tmpl. Those whose names begin with
// an underscore make no file; what they define can be used by the others with template and include. The source is how
// messages name the folder.
func Parse(source string, folder fs.FS) (*Set, spec.Problems, error) {
	set := &Set{source: source, shared: template.New("").Option("missingkey=error")}
	set.shared.Funcs(functions()).Funcs(template.FuncMap{"include": set.include})
	var problems spec.Problems
	texts := map[string]string{}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != extension:
			return nil
		}
		content, err := fs.ReadFile(folder, name)
		texts[name] = strings.ReplaceAll(string(content), "\r\n", "\n")
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, name := range sortedNames(texts) {
		t, more := set.parse(name, texts[name])
		problems = append(problems, more...)
		if len(more) == 0 && !strings.HasPrefix(path.Base(name), sharedPrefix) {
			set.templates = append(set.templates, t)
		}
	}
	return set, problems, nil
}

// sortedNames returns the keys of a map, shared files first, since others use what they define.
func sortedNames(texts map[string]string) []string {
	var names []string
	for name := range texts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		sharedA, sharedB := strings.HasPrefix(path.Base(a), sharedPrefix), strings.HasPrefix(path.Base(b), sharedPrefix)
		switch {
		case sharedA && !sharedB:
			return -1
		case sharedB && !sharedA:
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// parse reads one template and its path.
func (s *Set) parse(name, text string) (parsed, spec.Problems) {
	t := parsed{name: name}
	var problems spec.Problems
	firstLine, _, _ := strings.Cut(text, "\n")
	if t.once = strings.TrimSpace(firstLine) == onceLine; t.once {
		text = "{{- /* opgen: once */ -}}" + text[len(firstLine):]
	}
	var err error
	if t.text, err = s.shared.New(name).Parse(text); err != nil {
		problems = append(problems, s.problemOf(name, text, err))
	}
	made := strings.TrimSuffix(name, extension)
	if t.path, err = s.shared.New(name + " (path)").Parse(made); err != nil {
		problems = append(problems, s.pathProblem(name, err))
		return t, problems
	}
	t.scope = scopeOf(t.path.Tree.Root)
	return t, problems
}

// scopeOf returns what the template of a path makes files for, by the values that it names.
func scopeOf(node parse.Node) scope {
	found := perProject
	walk(node, func(n parse.Node) {
		field, ok := n.(*parse.FieldNode)
		if !ok {
			return
		}
		switch field.Ident[0] {
		case "Version":
			found = perVersion
		case "API":
			found = max(found, perAPI)
		}
	})
	return found
}

// walk visits a node of a path's template and those below it.
func walk(node parse.Node, visit func(parse.Node)) {
	visit(node)
	switch n := node.(type) {
	case *parse.ListNode:
		for _, below := range n.Nodes {
			walk(below, visit)
		}
	case *parse.ActionNode:
		walk(n.Pipe, visit)
	case *parse.PipeNode:
		for _, command := range n.Cmds {
			walk(command, visit)
		}
	case *parse.CommandNode:
		for _, argument := range n.Args {
			walk(argument, visit)
		}
	case *parse.ChainNode:
		walk(n.Node, visit)
	case *parse.IfNode:
		walkBranch(&n.BranchNode, visit)
	case *parse.WithNode:
		walkBranch(&n.BranchNode, visit)
	case *parse.RangeNode:
		walkBranch(&n.BranchNode, visit)
	}
}

func walkBranch(n *parse.BranchNode, visit func(parse.Node)) {
	walk(n.Pipe, visit)
	walk(n.List, visit)
	if n.ElseList != nil {
		walk(n.ElseList, visit)
	}
}
