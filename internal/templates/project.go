package templates

import (
	"path"
	"slices"
	"strconv"
)

// Project is what the files of a whole project are rendered from.
type Project struct {
	Name      string
	Module    string // its Go module path, or that of its folder in a module
	GoModule  string // the path of its go.mod
	Image     string // the name of its image until someone sets another
	Namespace string // that the operator runs in
	// Watched are the namespaces that the operator watches, as its flag has them; empty: all.
	Watched   string
	GoVersion string // such as 1.26.0
	Checkout  string // folder of an opgen that is not released, for a replace directive; empty for a release
	// TargetPrefix is what the targets in zz_generated.mk begin with, where the Makefile is not
	// opgen's.
	TargetPrefix string
	// HasSetup means that main passes the function setup to operator.Setup.
	HasSetup bool
	// Components are what deploy/kustomization.yaml can turn on.
	Components []Component
	// Controllers are the folders of the Go packages with a controller, such as
	// internal/echoserver.
	Controllers []string
}

// Component is an optional part of deploy.
type Component struct {
	Folder  string // below deploy
	Purpose string // one line
}

// MainFile renders main.go.
func MainFile(p Project) ([]byte, error) { return renderGo("project/main.go", p) }

// ControllersFile renders zz_generated.controllers.go.
func ControllersFile(p Project) ([]byte, error) { return renderGo("project/controllers.go", p) }

// Makefile renders Makefile.
func Makefile(p Project) ([]byte, error) { return renderTemplate("project/Makefile", p) }

// Targets renders zz_generated.mk.
func Targets(p Project) ([]byte, error) { return renderTemplate("project/targets.mk", p) }

// MakeTargets returns the names of the targets in zz_generated.mk, without their prefix. Those that
// are only other names do not exist beside targets of the author's.
func (p Project) MakeTargets() []string {
	targets := []string{
		"help", "generate", "manifests", "fmt", "vet", "lint", "build", "test", "test-e2e", "explore", "permissions", "run",
		"install", "uninstall", "image", "docker-build", "docker-push", "deploy", "undeploy",
	}
	if p.TargetPrefix == "" {
		return targets
	}
	return slices.DeleteFunc(targets, func(t string) bool { return t == "manifests" || t == "docker-build" })
}

// Dockerfile renders Dockerfile.
func Dockerfile(p Project) ([]byte, error) { return renderTemplate("project/Dockerfile", p) }

// Dockerignore renders .dockerignore.
func Dockerignore(p Project) ([]byte, error) { return renderTemplate("project/dockerignore", p) }

// Gitignore renders .gitignore.
func Gitignore(p Project) ([]byte, error) { return renderTemplate("project/gitignore", p) }

// Gitattributes renders .gitattributes.
func Gitattributes(p Project) ([]byte, error) { return renderTemplate("project/gitattributes", p) }

// Kustomization renders deploy/kustomization.yaml.
func Kustomization(p Project) ([]byte, error) {
	return renderTemplate("project/kustomization.yaml", p)
}

// Readme renders README.md.
func Readme(p Project) ([]byte, error) { return renderTemplate("project/README.md", p) }

// controllerImport is the import of a controller's package in zz_generated.controllers.go.
type controllerImport struct{ Name, Spec string }

// ControllerImports returns the imports of the controllers' packages. A package gets another name
// if the file already uses its name.
func (p Project) ControllerImports() []controllerImport {
	names := newImportSet("operator", "mgr", "made", "controllers")
	var imports []controllerImport
	for _, folder := range p.Controllers {
		importPath, wanted := p.Module+"/"+folder, path.Base(folder)
		i := controllerImport{names.add(importPath, wanted), strconv.Quote(importPath)}
		if i.Name != wanted {
			i.Spec = i.Name + " " + i.Spec
		}
		imports = append(imports, i)
	}
	return imports
}
