package usertemplates

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"golang.org/x/mod/module"

	"github.com/opgen-dev/opgen/internal/spec"
)

// File is a file that a template has made.
type File struct {
	Path    string // slash-separated, relative to the project
	Content []byte
	Once    bool // it is the author's once it is written
	// Template is what the file was made from, as the lock names it: SOURCE/PATH.
	Template string
	// API is the index of the API that the file is for; -1 if it is for the whole project.
	API int
}

// Render makes the files of all templates, in the order of the templates. A template that makes
// nothing but white space makes no file.
func (s *Set) Render(values Values) ([]File, spec.Problems) {
	var files []File
	var problems spec.Problems
	for _, t := range s.templates {
		s.eachValue(t.scope, values, func(api int, dot any) {
			file, problem := s.renderFile(t, dot)
			switch {
			case problem != nil && !slices.Contains(problems, *problem): // one for all APIs
				problems = append(problems, *problem)
			case problem == nil && file.Path != "":
				file.API = api
				files = append(files, file)
			}
		})
	}
	return files, problems
}

// eachValue calls render with what the templates of a scope are rendered over, and the index of its
// API.
func (s *Set) eachValue(of scope, values Values, render func(api int, dot any)) {
	if of == perProject {
		render(-1, values)
		return
	}
	for i, api := range values.APIs {
		one := apiValues{values, api}
		if of == perAPI {
			render(i, one)
			continue
		}
		for _, version := range api.Versions {
			render(i, versionValues{one, version})
		}
	}
}

// renderFile makes the file of a template, without a path if there is to be none.
func (s *Set) renderFile(t parsed, dot any) (File, *spec.Problem) {
	content, problem := s.execute(t.name, dot)
	if problem != nil || len(bytes.TrimSpace(content)) == 0 {
		return File{}, problem
	}
	made, problem := s.execute(pathName(t.name), dot)
	if problem != nil {
		return File{}, problem
	}
	if message := pathFault(string(made)); message != "" {
		return File{}, &spec.Problem{
			Pos: s.texts[pathName(t.name)].position(s.source, 0), Message: message,
			Hint: "the path of the template, without .tmpl, is that of a file below the project",
		}
	}
	return File{Path: string(made), Content: content, Once: t.once, Template: s.source.Place(t.name)}, nil
}

// execute runs what was parsed under a name.
func (s *Set) execute(name string, dot any) ([]byte, *spec.Problem) {
	s.run = run{}
	var out limitedBuffer
	if err := s.shared.ExecuteTemplate(&out, name, dot); err != nil {
		return nil, new(s.problemOf(name, err))
	}
	return out.Bytes(), nil
}

// pathFault says why a path cannot be that of a file of the project; empty if it can.
func pathFault(name string) string {
	first, _, _ := strings.Cut(name, "/")
	makes := "makes " + strconv.Quote(name) + ", which "
	var invalid *module.InvalidPathError
	switch err := module.CheckFilePath(name); {
	case name == "" || strings.HasSuffix(name, "/"):
		return makes + "names no file"
	case path.IsAbs(name), strings.HasPrefix(path.Clean(name), ".."):
		return makes + "is outside of the project"
	case strings.EqualFold(first, ".git"):
		return makes + "is git's"
	case errors.As(err, &invalid):
		return makes + "is no path that every system has: " + invalid.Err.Error()
	case err != nil:
		return makes + "is no path that every system has"
	}
	return ""
}

const (
	maxDepth = 100     // of templates that call each other
	maxSteps = 2000000 // calls and iterations for one file
)

// run counts what the templates do for one file.
type run struct{ depth, steps int }

var errEndless = errors.New("templates call each other without end")

func (s *Set) enter() (string, error) {
	if s.run.depth++; s.run.depth > maxDepth {
		return "", errEndless
	}
	return s.step()
}

func (s *Set) leave() string {
	s.run.depth--
	return ""
}

func (s *Set) step() (string, error) {
	if s.run.steps++; s.run.steps > maxSteps {
		return "", errors.New("takes too long: its loops do not end")
	}
	return "", nil
}

// ownFunctions returns the functions that read the templates of the set, and those that limitRuns
// adds calls of.
func (s *Set) ownFunctions() template.FuncMap {
	return template.FuncMap{"include": s.include, enterName: s.enter, leaveName: s.leave, stepName: s.step}
}

// include renders a template that the folder defines, as a text to go on with, such as
// include "labels" . | indent 2.
func (s *Set) include(name string, dot any) (string, error) {
	if s.shared.Lookup(name) == nil {
		return "", errors.New(`no template "` + name + `" is defined`)
	}
	var out limitedBuffer
	err := s.shared.ExecuteTemplate(&out, name, dot)
	return out.String(), err
}

// limitedBuffer takes no more than a file can hold.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(text []byte) (int, error) {
	if b.Len()+len(text) > maxText {
		return 0, errTooMany
	}
	return b.Buffer.Write(text)
}
