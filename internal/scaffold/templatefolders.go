package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/modulecache"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// readTemplateFolders reads the folders of the author's templates for the project in dir. It stores what
// is wrong with them, so that Plan reports it together with errors in templates.
func (s *Source) readTemplateFolders(dir string) {
	if s.Project == nil || len(s.Project.Templates) == 0 {
		return
	}
	r := templateReader{in: s.Input, dir: dir}
	for i, folder := range s.Project.Templates {
		source, problem := r.readEntry(folder)
		if problem != nil {
			problem.Path = fmt.Sprintf("templates[%d]", i)
			problem.Pos = s.Project.At[problem.Path]
			r.problems = append(r.problems, *problem)
			continue
		}
		s.templates = append(s.templates, source)
	}
	s.templateProblems = r.problems
}

// DigestTemplates returns a digest of the author's templates for the project in dir, and of what is
// wrong with their folders. It is empty for a project without templates.
func DigestTemplates(dir string, in Input) (string, error) {
	source := Source{Input: in}
	source.readTemplateFolders(dir)
	return source.templatesDigest()
}

func (s *Source) templatesDigest() (string, error) {
	if len(s.templates)+len(s.templateProblems) == 0 {
		return "", nil
	}
	return digestOf(s.templates, s.templateProblems)
}

// templateReader reads folders of templates.
type templateReader struct {
	in       Input
	dir      string
	modules  *modulecache.ModFile // nil: not read yet
	problems spec.Problems
}

// readEntry reads the folder that an entry of templates names. The problem is at the entry.
func (r *templateReader) readEntry(folder string) (usertemplates.Folder, *spec.Problem) {
	var source usertemplates.Folder
	var err error
	before := len(r.problems)
	if spec.InModule(folder) {
		found, problem := r.findInModules(folder)
		if problem != nil {
			return source, problem
		}
		source, err = r.readFrom(folder, found, ".")
	} else {
		source, err = r.readFrom(folder, r.dir, folder)
		for _, f := range r.in.Extra { // of a new project
			if name, inside := strings.CutPrefix(f.Path, folder+"/"); inside && usertemplates.IsTemplate(name) {
				source.Files[name], err = f.Content, nil
			}
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source, &spec.Problem{Message: "there is no folder " + folder, Hint: "make it, with a template in it, or leave it out"}
	case err != nil:
		return source, &spec.Problem{Message: folder + " cannot be read: " + withoutCall(err).Error(), Hint: "it must be a folder of templates"}
	case !source.MakesFiles() && len(r.problems) == before:
		return source, &spec.Problem{
			Message: folder + " has no template that makes a file", Hint: "the names of templates end in .tmpl; those that begin with _ only define what others use",
		}
	}
	return source, nil
}

// readFrom reads the templates in a folder below dir. Symbolic links cannot leave dir.
func (r *templateReader) readFrom(name, dir, folder string) (usertemplates.Folder, error) {
	source := usertemplates.Folder{Name: name, Files: map[string][]byte{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return source, err
	}
	defer root.Close()
	if info, err := root.Stat(folder); err != nil {
		return source, err
	} else if !info.IsDir() {
		return source, errors.New("it is a file")
	}
	below, err := fs.Sub(root.FS(), folder)
	if err != nil {
		return source, err
	}
	source, problems, err := usertemplates.Read(name, below)
	r.problems = append(r.problems, problems...)
	return source, err
}

// findInModules returns the path on disk of a folder in a module.
func (r *templateReader) findInModules(folder string) (string, *spec.Problem) {
	if r.modules == nil {
		mod, sum, err := r.moduleFiles()
		if err == nil {
			r.modules, err = modulecache.Parse(r.dir, "tools.mod", mod, sum)
		}
		if err != nil {
			return "", &spec.Problem{Message: "tools.mod cannot be read: " + withoutCall(err).Error(), Hint: "it says which module " + folder + " is in"}
		}
	}
	return r.modules.Find(folder)
}

// moduleFiles returns tools.mod and tools.sum, as generate would write them if they do not exist.
func (r *templateReader) moduleFiles() (mod, sum []byte, err error) {
	release := r.in.release()
	mod, err = os.ReadFile(filepath.Join(r.dir, "tools.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		mod, err = release.ToolsMod(r.in.Project.Module)
	}
	if err != nil {
		return nil, nil, err
	}
	sum, err = os.ReadFile(filepath.Join(r.dir, "tools.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		sum, err = release.ToolsSum()
	}
	return mod, sum, err
}

// withoutCall returns an error of the operating system without the name of the call that failed.
func withoutCall(err error) error {
	var call *fs.PathError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// isOwnTemplate reports whether a path is that of a template in the project.
func isOwnTemplate(p *spec.Project, file string) bool {
	return usertemplates.IsTemplate(file) && slices.ContainsFunc(p.Templates, func(folder string) bool {
		return !spec.InModule(folder) && strings.HasPrefix(tree.FoldCase(file), tree.FoldCase(folder)+"/")
	})
}
