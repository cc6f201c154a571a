package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/opgen-dev/opgen/internal/clientgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/scaffold/modules"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
	"github.com/opgen-dev/opgen/internal/tree"
	"github.com/opgen-dev/opgen/internal/webhookmarkers"
)

// Tool is the opgen that generates the project.
type Tool struct {
	// Version is a released version of opgen, such as v0.1.0. Module files require it.
	Version string
	// Sum is the checksum of that version's module, such as h1:…=. Without it, the first build of a
	// project asks the checksum database.
	Sum string
	// Checkout is the folder with the source of an opgen that is not released. Module files then
	// replace opgen's module with it, and Version has no effect.
	Checkout string
}

// Input is what a project is made from.
type Input struct {
	Project *spec.Project
	APIs    []API
	// Controllers are those for existing kinds.
	Controllers []*spec.Controller
	Tool        Tool
	Extra       []tree.File // additional files, such as a new spec file, or files in the place of those that opgen makes
	Drop        []string    // hand-written files to remove, such as the spec file of a deleted API
	// LetGo names entries of opgen.lock that may change or be removed although clusters have their
	// objects: Kind.group of an API, or controllers/name.
	LetGo []string
	Known Known // from an earlier run
	// InModule is the path of a Go module that has its module files already, such as one that the
	// project is a folder of; empty: the project is a module of its own, and go.mod one of its files.
	InModule string
	// ModFile is the file that Go packages are read with in the place of go.mod; empty: go.mod.
	ModFile string
	// Requires are the modules that tools.mod of a new project requires for its templates.
	Requires []Requirement
}

// Source is an Input completed from the Go source of its project. ReadGo returns it; its APIs have
// the schemas of their Go types.
type Source struct {
	Input

	// Packages with types of an author, by import path: their deepcopy code, the packages, and how
	// they register kinds.
	deepCopies    map[string][]byte
	authored      map[string]*packages.Package
	registrations map[string]gomodel.Registration
	warnings      spec.Problems   // about these packages
	loaded        gotypes.Folders // of these packages and of all that they import
	// operatorFolders are the folders of the operators that the lock lists, by the names of their
	// APIs.
	operatorFolders map[string]string
	samples         map[string][]byte // those of a kubebuilder project, by their paths in opgen's folder
	header          []byte            // the text of the project's header file
	// templates are the author's own, and templateProblems what is wrong with their folders.
	templates        []usertemplates.Folder
	templateProblems spec.Problems
	markers          []string // in comments, of which rules and webhooks are read
	rules            []spec.PolicyRule
	webhooks         webhookmarkers.Webhooks
	crdDocuments     map[string][]byte // those of the generated file of CRDs, by their checksums
}

// Warn adds warnings to those about the Go source.
func (s *Source) Warn(more spec.Problems) { s.warnings = slices.Concat(s.warnings, more).Sorted() }

// Plan makes all files of a project in memory: the Generated files of its APIs and controllers, and
// the Once files that the author starts from. The order of the APIs and of the controllers does not
// matter. The error is spec.Problems if the input is invalid.
func Plan(in Source) (*Planned, error) {
	in.APIs = slices.SortedFunc(slices.Values(in.APIs), func(a, b API) int {
		return cmp.Or(cmp.Compare(a.Names.Kind, b.Names.Kind), cmp.Compare(a.Group, b.Group))
	})
	in.Controllers = slices.SortedFunc(slices.Values(in.Controllers), func(a, b *spec.Controller) int {
		return cmp.Compare(a.Name, b.Name)
	})
	p, err := newProject(in)
	if err != nil {
		return nil, err
	}
	outputs := withoutExtra(p.allOutputs(in), in.Extra)
	files, err := renderOutputs(outputs)
	if err != nil {
		return nil, err
	}
	if in.Project.Clients {
		more, err := p.renderClients(in.authored)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	known := p.collectKnown(outputs, files)
	files = append(files, in.Extra...)
	templated, err := p.renderTemplates(in, files)
	if err != nil {
		return nil, err
	}
	planned := &Planned{
		Warnings: in.warnings, Learned: Learned{Known: known, Markers: in.markers, Folders: in.loaded},
		project: in.Project, letGo: in.LetGo, apis: namedAPIs(Summaries(in.APIs)), childOwners: parentsWithChildren(Summaries(in.APIs), in.Controllers),
	}
	if planned.Learned.Templates, err = in.templatesDigest(); err != nil {
		return nil, err
	}
	planned.lock = p.newLock(in.Tool.lockVersion(), planned.childOwners)
	planned.set, err = tree.NewFileSet(planned.lock, append(files, templated...), in.Drop)
	return planned, err
}

// allOutputs returns the manifest of the whole project. Files that are known are not rendered
// unless the tree lacks them.
func (p *project) allOutputs(in Source) []output {
	outputs := p.manifest()
	for _, g := range p.groups {
		for _, version := range g.versions() {
			for _, o := range p.packageManifest(g, version, in.deepCopies[gomodel.ImportPath(p.Project, g.name, version)]) {
				o.key = g.key
				outputs = append(outputs, o)
			}
		}
	}
	for _, k := range p.kinds {
		for _, o := range k.kindManifest() {
			o.api, o.key = k.api.GroupKind(), k.group.key
			outputs = append(outputs, o)
		}
	}
	for _, c := range p.controllers {
		for _, o := range c.manifest() {
			o.controller = c.spec.Name
			outputs = append(outputs, o)
		}
	}
	for i, o := range outputs {
		outputs[i].render = withHeader(in.header, o)
		if o.owner == tree.Generated {
			outputs[i].checksum = in.Known[o.key].Files[o.path]
		}
	}
	return outputs
}

// withoutExtra leaves out outputs of which an input has the files itself.
func withoutExtra(outputs []output, extra []tree.File) []output {
	return slices.DeleteFunc(outputs, func(o output) bool {
		return slices.ContainsFunc(extra, func(f tree.File) bool { return f.Path == o.path })
	})
}

// renderClients renders client/.
func (p *project) renderClients(authored map[string]*packages.Package) ([]tree.File, error) {
	packages, crds := p.model()
	rendered, err := clientgen.Files(p.Module, packages, crds, authored)
	if err != nil {
		return nil, err
	}
	files := make([]tree.File, len(rendered))
	for i, f := range rendered {
		files[i] = tree.File{Path: f.Path, Content: addHeader(p.header, f.Path, f.Content)}
	}
	return files, nil
}

// renderOutputs renders the outputs, but for Once files and those that are known: they are rendered
// when a tree turns out to lack them.
func renderOutputs(outputs []output) ([]tree.File, error) {
	files, errs := make([]tree.File, len(outputs)), make([]error, len(outputs))
	parallel.Each(len(outputs), func(i int) {
		o := outputs[i]
		files[i] = tree.File{Path: o.path, Owner: o.owner, API: o.api, Controller: o.controller, Instead: o.instead, Checksum: o.checksum}
		if o.owner == tree.Once || o.checksum != "" {
			files[i].Render = o.render
			return
		}
		content, err := o.render()
		if err != nil {
			errs[i] = fmt.Errorf("%s: %w", o.path, err)
		}
		files[i].Content, files[i].Checksum = content, tree.ContentChecksum(content)
	})
	return files, errors.Join(errs...)
}

func (t Tool) release() modules.Release {
	return modules.Release{Version: t.Version, Sum: t.Sum, Checkout: t.Checkout}
}

// release returns the opgen that the module files of the project require, and what else they do.
func (in Input) release() modules.Release {
	release := in.Tool.release()
	release.Requires = in.Requires
	return release
}

// lockVersion returns the version for opgen.lock. All checkouts have the same one, so that a
// project does not change with every commit to opgen.
func (t Tool) lockVersion() string {
	if t.Checkout != "" {
		return "devel"
	}
	return t.Version
}

// Requirement is a module that tools.mod requires, with its checksums.
type Requirement = modules.Requirement

// VersionMismatch is a wrong version in a module file.
type VersionMismatch = modules.Mismatch

// VersionMismatches returns the wrong versions in go.mod of a module and tools.mod of a project in it.
// The runtime and the generator must have the version of tool, and the Kubernetes modules the minor
// version that it is tested with.
func VersionMismatches(module, project fs.FS, tool Tool) []VersionMismatch {
	contents := map[string][]byte{}
	for name, files := range map[string]fs.FS{"go.mod": module, "tools.mod": project} {
		content, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			return []VersionMismatch{{Path: name, Message: "is missing: run opgen generate"}}
		}
		if err != nil {
			return []VersionMismatch{{Path: name, Message: err.Error()}}
		}
		contents[name] = content
	}
	return tool.release().Mismatches(contents["go.mod"], contents["tools.mod"])
}

// RequireOpgen returns go.mod of an existing module that requires the runtime of an opgen.
func RequireOpgen(goMod []byte, tool Tool) ([]byte, error) { return tool.release().Require(goMod) }
