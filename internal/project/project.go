package project

import (
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

// FileName is the file at the root of every project.
const FileName = "opgen.yaml"

// Project is a project on disk.
type Project struct {
	Dir  string // the folder of opgen.yaml
	Spec *spec.Project
	APIs []*spec.API // in the order of their file names
	// Controllers are the controllers for kinds that exist already, in the order of their file
	// names.
	Controllers []*spec.Controller
	// SharedTypes are the types that every API can use.
	SharedTypes []*spec.NamedType
	Tool        scaffold.Tool
}

// Load reads all spec files of the project in a folder for a version of opgen. The error is
// spec.Problems if a file is invalid.
func Load(dir, version string) (*Project, error) {
	p := &Project{Dir: dir, Tool: ToolFor(dir, version)}
	file, err := ReadFile(FileName, filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	var problems spec.Problems
	p.Spec, problems = spec.ParseProject(file.Name, file.Data)
	for _, read := range []func() (spec.Problems, error){
		p.readAPIs, p.readControllers, func() (spec.Problems, error) { return misnamedFiles(dir) },
	} {
		more, err := read()
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return p, spec.Check(p.Spec, p.APIs, p.Controllers).Err()
}

func (p *Project) readAPIs() (spec.Problems, error) {
	files, err := ReadFolder(p.Dir, "api")
	if err != nil {
		return nil, err
	}
	minKubernetes := spec.DefaultMinKubernetes
	if p.Spec != nil {
		minKubernetes = p.Spec.MinKubernetes
	}
	files, shared, problems := ParseTypes(files)
	p.SharedTypes = shared
	for _, f := range files {
		api, more := crdgen.Parse(f.Name, f.Data, minKubernetes, p.SharedTypes...)
		problems = append(problems, more...)
		p.APIs = append(p.APIs, api)
	}
	return problems, nil
}

func (p *Project) readControllers() (spec.Problems, error) {
	files, err := ReadFolder(p.Dir, "controllers")
	if err != nil {
		return nil, err
	}
	var problems spec.Problems
	for _, f := range files {
		controller, more := spec.ParseController(f.Name, f.Data)
		problems = append(problems, more...)
		p.Controllers = append(p.Controllers, controller)
	}
	return problems, nil
}

// Input returns what the project is generated from.
func (p *Project) Input() scaffold.Input {
	return scaffold.Input{Project: p.Spec, APIs: p.APIs, Controllers: p.Controllers, Tool: p.Tool}
}

// Warnings returns the warnings about the spec files.
func (p *Project) Warnings() spec.Problems {
	return append(warnings.Of(p.APIs), warnings.OfControllers(p.Controllers)...).Sorted()
}
