package usertemplates

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// File is a file that a template has made.
type File struct {
	Path    string // slash-separated, relative to the project
	Content []byte
	Once    bool // it belongs to the author after it is written
	// Template is what the file was made from, as the lock names it: SOURCE/PATH.
	Template string
	// API is the index of the API that the file is for; -1 if it is for the whole project.
	API int
}

// Render makes the files of all templates, in the order of the templates. A template that yields
// only white space makes no file.
func (s *Set) Render(values Values) ([]File, spec.Problems) {
	var files []File
	var problems spec.Problems
	size := 0
	for _, t := range s.templates {
		eachValue(t.scope, values, func(api int, dot any) {
			file, problem := s.renderFile(t, dot)
			if size += len(file.Content); size > maxMade {
				file, problem = File{}, &spec.Problem{Pos: spec.Pos{File: s.source.Name}, Message: "makes more than 256 MiB of files", Hint: "split the folder, or make less"}
			}
			switch {
			case problem != nil && !slices.Contains(problems, *problem): // the same problem for several APIs is reported once
				problems = append(problems, *problem)
			case problem == nil && file.Path != "":
				file.API = api
				files = append(files, file)
			}
		})
	}
	return files, problems
}

// eachValue calls render for each file of a scope, with the values of the template and the index of
// the API. Each call gets a copy of the values, so that no template sees what another has changed.
func eachValue(of scope, values Values, render func(api int, dot any)) {
	if of == perProject {
		render(-1, values.withOwnDicts())
		return
	}
	for i, api := range values.APIs {
		if of == perAPI {
			own := values.withOwnDicts()
			render(i, apiValues{own, own.APIs[i]})
			continue
		}
		for _, version := range api.Versions {
			own := values.withOwnDicts()
			render(i, versionValues{apiValues{own, own.APIs[i]}, version})
		}
	}
}

// renderFile makes the file of a template. The file has no path if there is to be none.
func (s *Set) renderFile(t parsed, dot any) (File, *spec.Problem) {
	content, problem := s.execute(t.text, dot)
	if problem != nil || len(bytes.TrimSpace(content)) == 0 {
		return File{}, problem
	}
	made, problem := s.execute(t.path, dot)
	if problem != nil {
		return File{}, problem
	}
	if message := pathProblem(string(made)); message != "" {
		return File{}, &spec.Problem{
			Pos: s.texts[t.path].position(s.source, 0), Message: message,
			Hint: "the path of the template, without .tmpl, is that of a file below the project",
		}
	}
	return File{Path: string(made), Content: content, Once: t.once, Template: s.source.DisplayName(t.name)}, nil
}

// execute executes the text with a name.
func (s *Set) execute(name string, dot any) ([]byte, *spec.Problem) {
	s.run = run{total: s.run.total}
	out := limitedBuffer{spend: s.run.spend}
	if err := s.shared.ExecuteTemplate(&out, name, dot); err != nil {
		return nil, new(s.problemOf(name, err))
	}
	return out.Bytes(), nil
}

// pathProblem returns why a path cannot be that of a file of any project, and "" if it can. Which paths are taken is not
// its concern.
func pathProblem(name string) string {
	makes := "makes " + strconv.Quote(name) + ", which "
	var invalid *module.InvalidPathError
	switch err := module.CheckFilePath(name); {
	case name == "" || strings.HasSuffix(name, "/"):
		return makes + "names no file"
	case path.IsAbs(name), strings.HasPrefix(path.Clean(name), ".."):
		return makes + "is outside of the project"
	case errors.As(err, &invalid):
		return makes + "is no path that every system has: " + invalid.Err.Error()
	case err != nil:
		return makes + "is no path that every system has"
	case dropped().MatchString(name):
		return makes + "is no path that every system has: Windows drops a space at the end of a name"
	case device().MatchString(name):
		return makes + "is no path that every system has: it names the console of Windows"
	}
	return ""
}

var (
	dropped = lazyregexp.New(` (/|$)`)
	device  = lazyregexp.New(`(?i)(^|/)con(in|out)\$(\.|/|$)`) // the other devices are known to module.CheckFilePath
)
