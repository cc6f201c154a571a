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

// Addition is a project with one more API or controller.
type Addition struct {
	API        *spec.API        // nil for a controller
	Controller *spec.Controller // nil for an API
	File       string           // the new spec file of the project
	Input      scaffold.Input
	Warnings   spec.Problems // about the new spec file
}

// AddAPI adds the API of a spec file. It returns an error if the file does not fit the others.
func (p *Project) AddAPI(f SpecFile) (Addition, error) {
	api, problems := crdgen.Parse(f.Name, f.Data, p.Spec.MinKubernetes, p.SharedTypes...)
	if err := problems.Err(); err != nil {
		return Addition{}, err
	}
	a := Addition{API: api, File: p.apiFile(api), Input: p.Input()}
	api.File = a.File
	added := scaffold.Parsed(api)[0]
	a.Warnings = warnings.Of([]*spec.API{api})
	a.Input.APIs = append(p.apisWithout(a.File), added)
	a.Warnings = append(a.Warnings, warnings.OfReadiness(scaffold.Summaries(a.Input.APIs), []*spec.Summary{added.Summary}, nil)...).Sorted()
	slices.SortFunc(a.Input.APIs, func(a, b scaffold.API) int { return strings.Compare(a.File, b.File) })
	return a, p.addFile(&a, f)
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
	a := Addition{Controller: controller, File: "controllers/" + name + ".yaml", Input: p.Input()}
	controller.File = a.File
	controllers := []*spec.Controller{controller}
	a.Warnings = append(warnings.OfControllers(controllers), warnings.OfReadiness(scaffold.Summaries(p.APIs), nil, controllers)...).Sorted()
	a.Input.Controllers = append(p.controllersWithout(a.File), controller)
	slices.SortFunc(a.Input.Controllers, func(a, b *spec.Controller) int { return strings.Compare(a.File, b.File) })
	return a, p.addFile(&a, f)
}

// addFile adds the spec file to the input, and checks all spec files together.
func (p *Project) addFile(a *Addition, f SpecFile) error {
	if err := p.refuseOther(a.File, f.Data); err != nil {
		return err
	}
	if f.Name == DraftName {
		for i := range a.Warnings {
			a.Warnings[i].Pos.File = a.File
		}
	}
	a.Input.Extra = []tree.File{{Path: a.File, Content: f.Data, Owner: tree.Once}}
	return spec.Check(a.Input.Project, scaffold.Summaries(a.Input.APIs), a.Input.Controllers).Err()
}

// apiFile returns the path of the spec file for a new API. It includes the group if an API of
// another group already has the path without.
func (p *Project) apiFile(api *spec.API) string {
	kind := strings.ToLower(api.Names.Kind)
	file := "api/" + kind + ".yaml"
	ofOtherGroup := func(other scaffold.API) bool { return other.File == file && other.Group != api.Group }
	if slices.ContainsFunc(p.APIs, ofOtherGroup) {
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

func (p *Project) apisWithout(file string) []scaffold.API {
	return slices.DeleteFunc(slices.Clone(p.APIs), func(api scaffold.API) bool { return api.File == file })
}

func (p *Project) controllersWithout(file string) []*spec.Controller {
	return slices.DeleteFunc(slices.Clone(p.Controllers), func(c *spec.Controller) bool { return c.File == file })
}
