package templates

import "strings"

// Project is what the files of a whole project are rendered from.
type Project struct {
	Name      string
	Module    string // its Go module path
	Image     string // the name of its image until someone sets another one
	Namespace string // that the operator runs in
	// WatchesNamespace means that the operator watches its own namespace only.
	WatchesNamespace bool
	GoVersion        string // such as 1.26.0
	Checkout         string // the folder that stands in for a released opgen; empty when opgen is released
	// Controllers are the names of the Go packages in internal/ that operate a kind each.
	Controllers []string
}

// MainFile renders main.go.
func MainFile(p Project) ([]byte, error) { return renderGo("project/main.go", p) }

// ControllersFile renders zz_generated.controllers.go.
func ControllersFile(p Project) ([]byte, error) { return renderGo("project/controllers.go", p) }

// Makefile renders Makefile.
func Makefile(p Project) ([]byte, error) { return render("project/Makefile", p) }

// Targets renders zz_generated.mk.
func Targets(p Project) ([]byte, error) { return render("project/targets.mk", p) }

// Dockerfile renders Dockerfile.
func Dockerfile(p Project) ([]byte, error) { return render("project/Dockerfile", p) }

// Dockerignore renders .dockerignore.
func Dockerignore(p Project) ([]byte, error) { return render("project/dockerignore", p) }

// Gitignore renders .gitignore.
func Gitignore(p Project) ([]byte, error) { return render("project/gitignore", p) }

// Gitattributes renders .gitattributes.
func Gitattributes(p Project) ([]byte, error) { return render("project/gitattributes", p) }

// Kustomization renders deploy/kustomization.yaml.
func Kustomization(p Project) ([]byte, error) { return render("project/kustomization.yaml", p) }

// Readme renders README.md.
func Readme(p Project) ([]byte, error) { return render("project/README.md", p) }

// GoRelease is the version of Go without its patch, such as 1.26.
func (p Project) GoRelease() string {
	major, rest, _ := strings.Cut(p.GoVersion, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}

// KeptKinds are the kinds that undeploying leaves alone, since users' data would go with them, as a regular
// expression. An operator's own namespace is one of them when the parents live there.
func (p Project) KeptKinds() string {
	if p.WatchesNamespace {
		return "(CustomResourceDefinition|Namespace)"
	}
	return "CustomResourceDefinition"
}

// Kept are the same in words.
func (p Project) Kept() string {
	if p.WatchesNamespace {
		return "CRDs and the namespace, and so the users' data"
	}
	return "CRDs, and so the users' data"
}
