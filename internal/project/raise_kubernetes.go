package project

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/scaffold/modules"
	"github.com/opgen-dev/opgen/internal/spec"
)

// raiseKubernetes raises the other modules of Kubernetes in a module file with its API, where opgen's runtime has raised
// that: k8s.io/kubectl of an older release does not build with k8s.io/api of a newer one. A module that the newer release
// does not have any more stays.
func (r Raised) raiseKubernetes(ctx context.Context) error {
	before, err := os.ReadFile(filepath.Join(r.Module.Dir, "go.mod"))
	if err != nil {
		return err
	}
	had, err := modules.Required(before, modules.KubernetesAPI)
	if err != nil {
		return err
	}
	versions, err := r.listModules(ctx, "all")
	if err != nil {
		return err
	}
	api := versions[modules.KubernetesAPI]
	if api == "" || had == api {
		return nil
	}
	var wanted []string
	for path, version := range versions {
		if modules.IsBehind(path, version, api) {
			wanted = append(wanted, path+"@"+api)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := r.listModules(ctx, wanted...)
	if err != nil {
		return err
	}
	var paths []string
	for path := range found {
		paths = append(paths, path)
	}
	modFile, err := os.ReadFile(r.ModFile)
	if err != nil {
		return err
	}
	raised, err := modules.RaiseKubernetes(modFile, paths, api)
	if err != nil {
		return err
	}
	return os.WriteFile(r.ModFile, raised, 0o600)
}

// listModules returns the versions of modules. Modules that cannot be found are left out.
func (r Raised) listModules(ctx context.Context, patterns ...string) (map[string]string, error) {
	const format = "{{if not .Error}}{{.Path}} {{.Version}}{{end}}"
	args := append([]string{"list", "-m", "-e", "-mod=mod", "-modfile=" + r.ModFile, "-f", format}, patterns...)
	output, err := findVersions(ctx, r.Module.Dir, args...)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(output)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			versions[path] = version
		}
	}
	return versions, nil
}

// raisedPins returns a warning for each module that go.mod replaces by a newer version of itself than before.
func (r Raised) raisedPins() (notes spec.Problems, err error) {
	var pins [2]map[string]string
	for i, name := range []string{filepath.Join(r.Module.Dir, "go.mod"), r.ModFile} {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if pins[i], err = modules.Pins(content); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(pins[0])) {
		if before, after := pins[0][path], pins[1][path]; after != "" && after != before {
			notes = append(notes, spec.Problem{
				Pos: spec.Pos{File: "go.mod"}, Message: "the replacement of " + path + " is raised from " + before + " to " + after + ", with which opgen's runtime builds",
				Hint: "see whether the reason for which it was pinned still holds",
			})
		}
	}
	return notes, nil
}
