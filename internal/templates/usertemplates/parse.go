package usertemplates

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/opgen-dev/opgen/internal/spec"
)

// onceLine is the first line of a template whose files belong to the author after they are written.
const onceLine = "{{/* opgen: once */}}"

// scope is what a template makes one file for: the project, an API or a version.
type scope int

const (
	perProject scope = iota
	perAPI
	perVersion
)

// Set is the templates of a Source, parsed.
type Set struct {
	source    Folder
	templates []parsed           // in the order of their paths
	shared    *template.Template // everything that the files define, for all of them
	texts     map[string]text    // by their names in messages of text/template
	defined   map[string]string  // name of a definition → its file
	included  []reference        // uses of templates by name
	run       run                // of the file that is being rendered
}

// parsed is a template that makes files.
type parsed struct {
	name       string // the path in the folder, with its extension
	text, path string // the names of what was parsed
	scope      scope
	once       bool
}

// text is a parsed part of a file.
type text struct {
	file   string // of the source
	isPath bool   // it is the path of the file
	lines  []string
	skip   int // number of lines that precede it in the file
}

// position returns the position of an offset in the text.
func (t text) position(source Folder, offset int) spec.Pos {
	pos := spec.Pos{File: source.DisplayName(t.file), Line: 1, Column: 1}
	if t.isPath {
		return pos // the text is the name of the file, which has no lines
	}
	pos.Line += t.skip
	for _, line := range t.lines {
		if offset <= len(line) {
			pos.Column = utf8.RuneCountInString(line[:offset]) + 1
			break
		}
		offset -= len(line) + 1
		pos.Line++
	}
	return pos
}

// firstInvalid returns the offset of the first byte that is not UTF-8, and -1 if there is none.
func firstInvalid(content []byte) int {
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// newName returns a name for a text in text/template. A path cannot be that name, because messages
// of text/template cannot be parsed if it has certain characters.
func (s *Set) newName() string { return "#" + strconv.Itoa(len(s.texts)) }

// Parse parses the templates of a folder. A file whose name begins with an underscore makes no
// file; the other files can use what it defines with template and include. The Set contains the
// templates without problems.
func Parse(source Folder) (*Set, spec.Problems) {
	s := &Set{
		source: source, shared: template.New("").Option("missingkey=error"), texts: map[string]text{}, defined: map[string]string{},
	}
	s.shared.Funcs(functions(&s.run)).Funcs(s.ownFunctions())
	var problems spec.Problems
	for _, file := range slices.Sorted(maps.Keys(source.Files)) {
		t, found := s.parseFile(file)
		problems = append(problems, found...)
		if !isShared(file) {
			s.templates = append(s.templates, t)
		}
	}
	problems = append(problems, s.checkReferences()...).Sorted()
	s.dropBroken(problems)
	return s, problems
}

// dropBroken drops the templates that have a problem. It drops all if a shared file has one,
// because any template may use that file.
func (s *Set) dropBroken(problems spec.Problems) {
	broken := map[string]bool{}
	for _, p := range problems {
		broken[p.Pos.File] = true
	}
	for file := range s.source.Files {
		if isShared(file) && broken[s.source.DisplayName(file)] {
			s.templates = nil
		}
	}
	s.templates = slices.DeleteFunc(s.templates, func(t parsed) bool { return broken[s.source.DisplayName(t.name)] })
}

// parseFile parses a file, and its path if the file makes files.
func (s *Set) parseFile(file string) (parsed, spec.Problems) {
	t := parsed{name: file}
	content := s.source.Files[file]
	if at := firstInvalid(content); at >= 0 {
		lines := strings.Split(string(content[:at])+"?", "\n")
		return t, spec.Problems{{Pos: text{file: file, lines: lines}.position(s.source, at), Message: "is not UTF-8", Hint: "save the file as UTF-8"}}
	}
	skip := 0
	if first, rest, _ := bytes.Cut(content, []byte("\n")); string(bytes.TrimSpace(first)) == onceLine {
		t.once, content, skip = true, rest, 1
	}
	t.text = s.newName()
	problems := s.parseText(t.text, string(content), text{file: file, skip: skip})
	if isShared(file) {
		return t, problems
	}
	made := strings.TrimSuffix(file, extension)
	t.path = s.newName()
	problems = append(problems, s.parseText(t.path, made, text{file: file, isPath: true})...)
	if path := s.shared.Lookup(t.path); path != nil && path.Tree != nil {
		t.scope = scopeOf(path.Tree.Root)
	}
	return t, problems
}

// parseText parses a text under a name, with what it defines.
func (s *Set) parseText(name, content string, t text) spec.Problems {
	t.lines = strings.Split(content, "\n")
	s.texts[name] = t
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck // checkCalls says more
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(content, "", "", trees); err != nil {
		return spec.Problems{s.problemOf(name, err)}
	}
	if trees[name] == nil {
		trees[name] = tree // it contains nothing but definitions
	}
	var problems spec.Problems
	for _, defined := range slices.Sorted(maps.Keys(trees)) {
		tree := trees[defined]
		if first, known := s.defined[defined]; known {
			problems = append(problems, spec.Problem{
				Pos:     t.position(s.source, int(tree.Root.Pos)),
				Message: "defines " + defined + ", which " + s.source.DisplayName(first) + " defines, too", Hint: "give one of them another name",
			})
			continue
		}
		s.defined[defined] = t.file
		problems = append(problems, s.checkCalls(tree, t)...)
		limitRuns(tree)
		if _, err := s.shared.AddParseTree(defined, trees[defined]); err != nil {
			problems = append(problems, s.problemOf(name, err))
		}
	}
	return problems
}

// scopeOf returns what a path makes files for, by the values that it names.
func scopeOf(path parse.Node) scope {
	found := perProject
	eachNode(path, func(n parse.Node) {
		var names []string
		switch n := n.(type) {
		case *parse.FieldNode:
			names = n.Ident
		case *parse.VariableNode:
			names = n.Ident[1:]
			if n.Ident[0] != "$" {
				names = nil
			}
		}
		switch {
		case len(names) == 0:
		case names[0] == "Version":
			found = perVersion
		case names[0] == "API":
			found = max(found, perAPI)
		}
	})
	return found
}
