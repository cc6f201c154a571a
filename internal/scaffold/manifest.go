package scaffold

import (
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/reference"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// output is one line of the manifest: a file of a project, its owner, and its renderer.
type output struct {
	path string
	api  string // the API that it belongs to; empty: a controller or the whole project
	// controller is the controller that it belongs to, if any.
	controller string
	key        string // of Known; empty: the file is made in each run
	owner      tree.Owner
	render     func() ([]byte, error)
	checksum   string                 // of the content, if it is known
	instead    func(name string) bool // see File.Instead
}

// manifest returns all files of the project except its spec files and opgen.lock.
func (p *project) manifest() []output {
	t := p.templates
	outputs := []output{
		{path: "main.go", owner: tree.Once, render: bindView(templates.MainFile, t), instead: isCode},
		{path: wiringPath, render: bindView(templates.ControllersFile, t)},
		{path: "Makefile", owner: tree.Once, render: bindView(templates.Makefile, t)},
		{path: "zz_generated.mk", render: bindView(templates.Targets, t)},
		{path: "Dockerfile", owner: tree.Once, render: bindView(templates.Dockerfile, t)},
		{path: ".dockerignore", owner: tree.Once, render: bindView(templates.Dockerignore, t)},
		{path: ".gitignore", owner: tree.Once, render: bindView(templates.Gitignore, t)},
		{path: ".gitattributes", owner: tree.Once, render: bindView(templates.Gitattributes, t)},
		{path: "README.md", owner: tree.Once, render: bindView(templates.Readme, t)},
		{path: "tools.mod", owner: tree.Once, render: bindView(p.release.ToolsMod, p.Module)},
		{path: "tools.sum", owner: tree.Once, render: p.release.ToolsSum},
		{path: schemaPath, render: reference.JSONSchema, key: schemaPath},
		{path: "deploy/kustomization.yaml", owner: tree.Once, render: bindView(templates.Kustomization, t)},
		{path: "deploy/zz_generated.namespace.yaml", render: renderObjects(p.operator.NamespaceObjects())},
		{path: "deploy/zz_generated.crd.yaml", render: p.crdFile},
		{path: "deploy/zz_generated.rbac.yaml", render: renderObjects(p.operator.RBACObjects())},
		{path: "deploy/zz_generated.manager.yaml", render: renderObjects(p.operator.ManagerObjects())},
	}
	outputs = append(outputs, p.componentManifest()...)
	if p.inModule != "" {
		return outputs // go.mod is in a folder above
	}
	return append(outputs,
		output{path: "go.mod", owner: tree.Once, render: bindView(p.release.GoMod, p.Module)},
		output{path: "go.sum", owner: tree.Once, render: p.release.GoSum},
	)
}

// componentManifest returns the files of the components of deploy.
func (p *project) componentManifest() (outputs []output) {
	for _, component := range p.operator.Components() {
		for _, file := range component.Files() {
			outputs = append(outputs, output{path: "deploy/" + file.Path, render: withGeneratedLine(file.Render)})
		}
	}
	return outputs
}

// schemaPath is the JSON Schema of spec files. It depends only on the version of opgen.
const schemaPath = "zz_generated.spec.schema.json"

// packageManifest returns the files of a group version. deepCopy is the deepcopy code of a package
// with types that an author owns.
func (p *project) packageManifest(g *apiGroup, version string, deepCopy []byte) []output {
	dir, model := gomodel.PackageDir(p.Project, g.name, version), func() gomodel.Package { return g.packageOf(version) }
	outputs := []output{
		{path: dir + "/" + deepCopyFile, render: bindMade(templates.DeepCopy, model)},
		{path: dir + "/zz_generated.register.go", render: bindMade(templates.Register, model)},
	}
	if deepCopy != nil {
		outputs[0].render = func() ([]byte, error) { return deepCopy, nil }
	}
	if g.hasTypes(version) {
		outputs = append(outputs, output{path: dir + "/" + typesFile, render: bindMade(templates.Types, model)})
	}
	return outputs
}

const deepCopyFile = "zz_generated.deepcopy.go"

// kindManifest returns the files of a kind except its types: a sample, and those of its operator.
func (k kind) kindManifest() []output {
	outputs := []output{{path: k.samplePath(), owner: tree.Once, render: k.renderSample}}
	if k.api.Operator == nil {
		return outputs
	}
	outputs = append(outputs, operatorManifest(k.folder, k.view)...)
	return append(outputs, foreignOutputs(k.folder, k.foreign)...)
}

// operatorManifest returns the files in the package of an operator.
func operatorManifest(folder string, view func() templates.Operator) []output {
	return []output{
		{path: folder + "/sync.go", owner: tree.Once, render: bindMade(templates.SyncFile, view), instead: isCode},
		{path: folder + "/sync_test.go", owner: tree.Once, render: bindMade(templates.SyncTestFile, view), instead: isTest},
		{path: folder + "/" + operatorFile, render: bindMade(templates.OperatorFile, view)},
	}
}

// bindView returns a renderer of a view.
func bindView[T any](render func(T) ([]byte, error), view T) func() ([]byte, error) {
	return func() ([]byte, error) { return render(view) }
}

// bindMade returns a renderer of a view that is made when the file is rendered.
func bindMade[T any](render func(T) ([]byte, error), view func() T) func() ([]byte, error) {
	return func() ([]byte, error) { return render(view()) }
}
