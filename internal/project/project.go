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
	APIs []*spec.API // in the order of their file names
	// Controllers are the controllers for existing kinds, in the order of their file names.
	Controllers []*spec.Controller
	// SharedTypes are the types that every API can use.
	SharedTypes []*spec.NamedType
	Tool        scaffold.Tool

	digests map[string]string // see scaffold.Input
	known   Known
	warned  []spec.Problems // the warnings about each API, once they have been looked for
	// outlines are those of the known APIs, by the digests of their files, where outlines will do,
	// and whole parses a file again, by its name.
	outlines map[string]CheckedAPI
	whole    map[string]func() *spec.API
}

// Load reads all spec files of the project in a folder for a version of opgen. tree is the folder,
// and known is from an earlier run. The error is spec.Problems if a file is invalid.
func Load(dir string, tree fs.FS, version string, known Known) (*Project, error) {
	return newProject(dir, tree, version, known).readAll()
}

// LoadOutlines is Load, but the APIs that are known are outlines.
func LoadOutlines(dir string, tree fs.FS, version string, known Known) (*Project, error) {
	p := newProject(dir, tree, version, known)
	p.outlines = known.APIs
	return p.readAll()
}

func newProject(dir string, tree fs.FS, version string, known Known) *Project {
	return &Project{
		Dir: dir, Tree: tree, Tool: ToolFor(dir, version), known: known,
		digests: map[string]string{}, whole: map[string]func() *spec.API{},
	}
}

// readAll reads all spec files.
func (p *Project) readAll() (*Project, error) {
	tree := p.Tree
	file, err := readInTree(tree, FileName)
	if err != nil {
		return nil, err
	}
	var problems spec.Problems
	p.Spec, problems = spec.ParseProject(file.Name, file.Data)
	for _, read := range []func() (spec.Problems, error){
		p.readAPIs, p.readControllers, func() (spec.Problems, error) { return misnamedFiles(tree) },
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
	p.APIs = make([]*spec.API, len(files))
	found := make([]spec.Problems, len(files))
	digests := make([]string, len(files))
	parse := func(i int) (*spec.API, spec.Problems) {
		return crdgen.Parse(files[i].Name, files[i].Data, minKubernetes, p.SharedTypes...)
	}
	parallel.Each(len(files), func(i int) {
		digests[i] = digestOfFiles(slices.Concat(types, files[i:i+1]))
		if p.APIs[i] = p.outlines[digests[i]].Outline; p.APIs[i] == nil {
			p.APIs[i], found[i] = parse(i)
		}
	})
	for i, api := range p.APIs {
		if api != nil && !crdgen.NeedGoSource(p.APIs[i:i+1]) {
			p.digests[api.File] = digests[i]
			p.whole[api.File] = sync.OnceValue(func() *spec.API { api, _ := parse(i); return api })
		}
	}
	return append(problems, slices.Concat(found...)...), nil
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
	return scaffold.Input{
		Project: p.Spec, APIs: p.APIs, Controllers: p.Controllers, Tool: p.Tool, Digests: p.digests, Known: p.known.Parts,
		ReadSchemas: func(api *spec.API) *spec.API { return p.whole[api.File]() },
	}
}
