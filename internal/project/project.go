package project

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// FileName is the file at the root of every project.
const FileName = "opgen.yaml"

// Project is a project on disk.
type Project struct {
	Dir  string // the folder of opgen.yaml
	Tree fs.FS  // the same folder; everything that affects generated files is read through it, and noted
	Spec *spec.Project
	APIs []scaffold.API // in the order of their file names
	// Controllers are the controllers for existing kinds, in the order of their file names.
	Controllers []*spec.Controller
	// SharedTypes are the types that every API can use.
	SharedTypes []*spec.NamedType
	Tool        scaffold.Tool

	module Module // that the project is, or is in
	known  Known
	warned []spec.Problems // the warnings about each API, once they have been looked for
}

// Load reads all spec files of the project in a folder for a version of opgen. tree is the folder,
// and known is from an earlier run: an API that it has is not parsed before something is made of it.
// The error is spec.Problems if a file is invalid.
func Load(dir string, tree fs.FS, version string, known Known) (*Project, error) {
	p := &Project{Dir: dir, Tree: tree, known: known}
	return p.readAll(version)
}

// readAll reads all spec files.
func (p *Project) readAll(version string) (*Project, error) {
	tree := p.Tree
	file, err := readInTree(tree, FileName)
	if err != nil {
		return nil, err
	}
	var problems spec.Problems
	p.Spec, problems = spec.ParseProject(file.Name, file.Data)
	if p.Spec != nil {
		p.module = ModuleOf(p.Dir, p.Spec.Module)
		if p.Tool, err = ToolFor(p.module.Dir, version); err != nil {
			return nil, err
		}
	}
	for _, read := range []func() (spec.Problems, error){
		p.readAPIs, p.readControllers, func() (spec.Problems, error) { return misnamedFiles(tree) },
		func() (spec.Problems, error) { return checkModule(tree, p.Spec) },
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
	return p, spec.Check(p.Spec, scaffold.Summaries(p.APIs), p.Controllers).Err()
}

func (p *Project) readAPIs() (spec.Problems, error) {
	files, err := ReadFolder(p.Tree, "api")
	if err != nil {
		return nil, err
	}
	minKubernetes := spec.DefaultMinKubernetes
	if p.Spec != nil {
		minKubernetes = p.Spec.MinKubernetes
	}
	types, files, shared, problems := ParseTypes(files)
	p.SharedTypes = shared
	p.APIs = make([]scaffold.API, len(files))
	found := make([]spec.Problems, len(files))
	parallel.Each(len(files), func(i int) {
		read := sync.OnceValues(func() (*spec.API, spec.Problems) {
			return crdgen.Parse(files[i].Name, files[i].Data, minKubernetes, p.SharedTypes...)
		})
		p.APIs[i], found[i] = p.newAPI(digestOfFiles(slices.Concat(types, files[i:i+1])), read)
		if p.Spec != nil && len(found[i]) == 0 {
			p.APIs[i], found[i] = scaffold.CompleteConversion(p.Spec, p.Tree, p.APIs[i])
		}
		nameStoredVersion(p.Tree, p.Spec, files[i], found[i], p.SharedTypes)
	})
	return append(problems, slices.Concat(found...)...), nil
}

// newAPI returns the API of a spec file with a digest. It parses the file if the API is not known.
func (p *Project) newAPI(digest string, read func() (*spec.API, spec.Problems)) (scaffold.API, spec.Problems) {
	whole := func() *spec.API { api, _ := read(); return api }
	if known, found := p.known.APIs[digest]; found {
		return scaffold.API{Summary: known.Summary, Read: whole, Digest: digest}, nil
	}
	api, problems := read()
	switch {
	case api == nil:
		return scaffold.API{}, problems
	case crdgen.NeedsGoSource(api):
		digest = ""
	}
	return scaffold.API{Summary: api.Summary(), Read: whole, Digest: digest}, problems
}

func (p *Project) readControllers() (spec.Problems, error) {
	files, err := ReadFolder(p.Tree, "controllers")
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
	return scaffold.Input{Project: p.Spec, APIs: p.APIs, Controllers: p.Controllers, Tool: p.Tool, InModule: p.module.Above, Known: p.known.Parts}
}
