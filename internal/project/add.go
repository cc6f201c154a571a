package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
	"github.com/opgen-dev/opgen/internal/warnings"
)

// DraftName is the file name of a draft in positions.
const DraftName = "draft"

// Addition is a project with further APIs, or one more controller.
type Addition struct {
	APIs       []*spec.API      // in the order of their files; none for a controller
	Controller *spec.Controller // nil for APIs
	Input      scaffold.Input
	Warnings   spec.Problems // about the new spec files
}

// AddAPIs adds the APIs of spec files, which may name each other. It returns an error if they do not fit
// each other or the files of the project: all errors of the files themselves, or else of the set.
func (p *Project) AddAPIs(files []SpecFile) (Addition, error) {
	a := Addition{Input: p.Input()}
	var problems spec.Problems
	for _, f := range files {
		api, found := crdgen.Parse(f.Name, f.Data, p.Spec.MinKubernetes, p.SharedTypes...)
		nameStoredVersion(p.Tree, p.Spec, f, found, p.SharedTypes)
		problems = append(problems, found...)
		a.APIs = append(a.APIs, api)
	}
	if err := problems.Err(); err != nil {
		return Addition{}, err
	}
	if err := refuseTwice(a.APIs, files); err != nil {
		return Addition{}, err
	}
	var refused []error
	for i, api := range a.APIs {
		api.File = p.apiFile(api, a.Input.APIs)
		completed, found := scaffold.CompleteConversion(p.Spec, p.Tree, scaffold.Parsed(api)[0])
		refused = append(refused, p.addFile(&a, api.File, files[i]), found.Err())
		a.APIs[i], a.Input.APIs = completed.Read(), append(apisWithout(a.Input.APIs, api.File), completed)
	}
	if err := errors.Join(refused...); err != nil {
		return Addition{}, err
	}
	slices.SortFunc(a.Input.APIs, func(a, b scaffold.API) int { return strings.Compare(a.File, b.File) })
	a.Warnings = warnings.Of(a.APIs, p.Spec.MaxDescLen)
	added := scaffold.Summaries(scaffold.Parsed(a.APIs...))
	a.Warnings = append(a.Warnings, warnings.OfReadiness(scaffold.Summaries(a.Input.APIs), added, nil)...).Sorted()
	for i, f := range files {
		renameDraft(a.Warnings, f.Name, a.APIs[i].File)
	}
	return a, p.check(a)
}

// refuseTwice returns an error if two files have the same kind.
func refuseTwice(apis []*spec.API, files []SpecFile) error {
	for i, api := range apis {
		for j, other := range apis[:i] {
			if api.Group == other.Group && api.Names.Kind == other.Names.Kind {
				return InputErrorf("%s and %s both have the kind %s of group %s", files[j].Name, files[i].Name, api.Names.Kind, api.Group)
			}
		}
	}
	return nil
}

// AddController adds the controller of a spec file. The controller must have the given name; hint
// returns what to do if it has another one.
func (p *Project) AddController(f SpecFile, name string, hint func(other string) string) (Addition, error) {
	controller, problems := spec.ParseController(f.Name, f.Data)
	if err := problems.Err(); err != nil {
		return Addition{}, err
	}
	if controller.Name != name {
		return Addition{}, spec.Problems{{
			Pos: controller.PositionOf("name"), Path: "name", Hint: hint(controller.Name),
			Message: fmt.Sprintf("%q is another name than %q, which the command gives", controller.Name, name),
		}}.Err()
	}
	a := Addition{Controller: controller, Input: p.Input()}
	controller.File = "controllers/" + name + ".yaml"
	controllers := []*spec.Controller{controller}
	a.Warnings = append(warnings.OfControllers(controllers), warnings.OfReadiness(scaffold.Summaries(p.APIs), nil, controllers)...).Sorted()
	a.Input.Controllers = append(p.controllersWithout(controller.File), controller)
	slices.SortFunc(a.Input.Controllers, func(a, b *spec.Controller) int { return strings.Compare(a.File, b.File) })
	renameDraft(a.Warnings, f.Name, controller.File)
	if err := p.addFile(&a, controller.File, f); err != nil {
		return Addition{}, err
	}
	return a, p.check(a)
}

// addFile adds a spec file to the input, under its path in the project.
func (p *Project) addFile(a *Addition, path string, f SpecFile) error {
	if err := p.refuseOther(path, f.Data); err != nil {
		return err
	}
	a.Input.Extra = append(a.Input.Extra, tree.File{Path: path, Content: f.Data, Owner: tree.Once})
	return nil
}

// renameDraft has warnings about a draft name the file that the draft becomes.
func renameDraft(found spec.Problems, name, path string) {
	for i := range found {
		if name == DraftName && found[i].Pos.File == name {
			found[i].Pos.File = path
		}
	}
}

// check checks all spec files together.
func (p *Project) check(a Addition) error {
	return spec.Check(a.Input.Project, scaffold.Summaries(a.Input.APIs), a.Input.Controllers).Err()
}

// apiFile returns the path of the spec file for a new API. It includes the group if an API of
// another group already has the path without.
func (p *Project) apiFile(api *spec.API, others []scaffold.API) string {
	kind := strings.ToLower(api.Names.Kind)
	file := "api/" + kind + ".yaml"
	ofOtherGroup := func(other scaffold.API) bool { return other.File == file && other.Group != api.Group }
	if slices.ContainsFunc(others, ofOtherGroup) {
		return "api/" + gomodel.GroupFolder(p.Spec, api.Group) + "-" + kind + ".yaml"
	}
	return file
}

// refuseOther returns an error if the project has a spec file with that name but other content.
func (p *Project) refuseOther(file string, data []byte) error {
	existing, err := os.ReadFile(filepath.Join(p.Dir, file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return InputError{err}
	case bytes.Equal(existing, data):
		return nil
	}
	return InputErrorf("%s exists and says something else\n    edit that file and run: opgen generate", file)
}

func apisWithout(apis []scaffold.API, file string) []scaffold.API {
	return slices.DeleteFunc(slices.Clone(apis), func(api scaffold.API) bool { return api.File == file })
}

func (p *Project) controllersWithout(file string) []*spec.Controller {
	return slices.DeleteFunc(slices.Clone(p.Controllers), func(c *spec.Controller) bool { return c.File == file })
}
