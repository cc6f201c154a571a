package usertemplates

import (
	"errors"
	"path"
	"strings"
	"text/template"

	"github.com/opgen-dev/opgen/internal/spec"
)

// File is a file that a template has made.
type File struct {
	Path    string // slash-separated, relative to the project
	Content []byte
	Once    bool // it is the author's once it is written
	// Template is the template in the folder that it is from, as the lock names it: SOURCE/PATH.
	Template string
}

// Render makes the files of all templates, in the order of the templates. Values are what the templates are rendered
// over: for the whole project, for each API, and for each version of each API.
func (s *Set) Render(values Values) ([]File, spec.Problems) {
	var files []File
	var problems spec.Problems
	for _, t := range s.templates {
		for _, dot := range values.of(t.scope) {
			file, more := s.renderFile(t, dot)
			problems = append(problems, more...)
			if len(more) == 0 {
				files = append(files, file)
			}
		}
	}
	return files, problems
}

func (s *Set) renderFile(t parsed, dot Values) (File, spec.Problems) {
	var name, content strings.Builder
	if err := t.path.Execute(&name, dot); err != nil {
		return File{}, spec.Problems{s.pathProblem(t.name, err)}
	}
	if message := pathFault(name.String()); message != "" {
		return File{}, spec.Problems{{
			Pos: spec.Pos{File: s.place(t.name)}, Message: "makes " + name.String() + ", " + message,
			Hint: "let the path of the template give a path inside of the project",
		}}
	}
	if err := t.text.Execute(&content, dot); err != nil {
		return File{}, spec.Problems{s.problemOf(t.name, "", err)}
	}
	return File{Path: name.String(), Content: []byte(content.String()), Once: t.once, Template: s.place(t.name)}, nil
}

// pathFault says why a path cannot be that of a file of the project, nothing if it can.
func pathFault(name string) string {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return "which names no file"
	case path.IsAbs(name), strings.Contains(name, `\`), strings.Contains(name, ":"), name == "..", strings.HasPrefix(path.Clean(name), "../"):
		return "which is outside of the project"
	case path.Clean(name) != name:
		return "which is not the shortest form of that path"
	case strings.EqualFold(first, ".git"):
		return "which belongs to git"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "which has characters that no name should have"
	}
	return ""
}

// maxDepth bounds templates that include each other.
const maxDepth = 100

// include renders a template that the folder defines, as a text to go on with, such as include "x" . | indent 2.
func (s *Set) include(name string, dot any) (string, error) {
	if s.depth++; s.depth > maxDepth {
		return "", errors.New("templates include each other without end")
	}
	defer func() { s.depth-- }()
	var out strings.Builder
	if s.shared.Lookup(name) == nil {
		return "", errors.New(`no template "` + name + `" is defined`)
	}
	err := s.shared.ExecuteTemplate(&out, name, dot)
	var inner template.ExecError
	if errors.As(err, &inner) {
		return "", inner // at the place in the included template
	}
	return out.String(), err
}
