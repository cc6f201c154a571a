package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// renderTemplates renders the author's templates. own are all other files of the project, whose
// paths no template may have. The error has the problems of all templates.
func (p *project) renderTemplates(in Source, own []tree.File) ([]tree.File, error) {
	if len(in.Project.Templates) == 0 {
		return nil, nil
	}
	problems := slices.Clone(in.templateProblems)
	values := p.templateValues()
	var rendered []usertemplates.File
	for _, source := range in.templates {
		set, found := usertemplates.Parse(source)
		made, more := set.Render(values)
		problems = slices.Concat(problems, found, more)
		rendered = append(rendered, made...)
	}
	slices.SortStableFunc(rendered, func(a, b usertemplates.File) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Template, b.Template))
	})
	problems = append(problems, checkPaths(in.Project, rendered, own)...)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	files := make([]tree.File, len(rendered))
	for i, f := range rendered {
		files[i] = tree.File{Path: f.Path, Content: f.Content, Template: f.Template}
		if f.Once {
			files[i].Owner = tree.Once
		}
		if f.API >= 0 {
			files[i].API = p.kinds[f.API].api.GroupKind()
		}
	}
	return files, nil
}

// claims are the paths of files and of their folders. They find files that exclude each other, such
// as a and a/b.
type claims struct {
	files   map[string]claim // by path in lower case
	folders map[string]string
}

// claim is a path with what makes a file there.
type claim struct{ path, maker string }

func (c claims) add(file, maker string) {
	c.files[tree.FoldCase(file)] = claim{file, maker}
	for _, folder := range tree.FoldersOf(file) {
		if c.folders[tree.FoldCase(folder)] == "" {
			c.folders[tree.FoldCase(folder)] = file
		}
	}
}

// checkPaths returns problems for files whose paths belong to opgen or to another template. Paths
// that differ only in case are the same, since some file systems do not distinguish them.
func checkPaths(p *spec.Project, rendered []usertemplates.File, own []tree.File) spec.Problems {
	c := claims{files: map[string]claim{}, folders: map[string]string{}}
	for _, f := range own {
		c.add(f.Path, "")
	}
	var problems spec.Problems
	for _, f := range rendered {
		message, hint := c.refusalFor(f)
		switch reserved := tree.ReservedPath(f.Path); {
		case reserved != "":
			message, hint = ", which is "+reserved, "choose another path"
		case isOwnTemplate(p, f.Path):
			message, hint = ", which is a template of the project", "choose another path"
		}
		if message == "" {
			c.add(f.Path, f.Template)
			continue
		}
		problem := spec.Problem{
			Pos: spec.Pos{File: f.Template, Line: 1, Column: 1}, Message: "makes " + f.Path + message, Hint: hint,
		}
		if !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
	}
	return problems
}

// refusalFor returns why the path of a file is not free and what to do, and "" if it is free.
func (c claims) refusalFor(f usertemplates.File) (message, hint string) {
	const another = "choose another path"
	folded := tree.FoldCase(f.Path)
	if taken, found := c.files[folded]; found {
		switch {
		case taken.path != f.Path:
			return ", which differs from " + taken.path + " in nothing but case", another
		case taken.maker == "":
			return ", which is a file of opgen's own", another
		case taken.maker == f.Template:
			return " more than once", "have the path name what the files differ in, such as .API.Group or .Version.Name"
		}
		return ", which " + taken.maker + " makes, too", another
	}
	if below := c.folders[folded]; below != "" {
		return ", which is a folder: that of " + below, another
	}
	for folder := path.Dir(folded); folder != "."; folder = path.Dir(folder) {
		if taken, found := c.files[folder]; found {
			return ", which is below the file " + taken.path, another
		}
	}
	return "", ""
}
