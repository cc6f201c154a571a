package modules

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Misfit is a version in a module file that does not fit the opgen that generates, or the other module file.
type Misfit struct {
	Path    string // of the module file
	Message string
}

// Misfits compares the module files of a project with each other and with this opgen.
func (r Release) Misfits(goMod, toolsMod []byte) []Misfit {
	project, projectMisfit := selected("go.mod", goMod)
	tools, toolsMisfit := selected("tools.mod", toolsMod)
	misfits := slices.Concat(projectMisfit, toolsMisfit)
	if len(misfits) > 0 {
		return misfits
	}
	if project[Opgen] != tools[Opgen] {
		misfits = append(misfits, Misfit{"go.mod", fmt.Sprintf("links the runtime of opgen %s, but tools.mod generates with opgen %s",
			project[Opgen], tools[Opgen])})
	}
	if r.Checkout == "" && tools[Opgen] != r.Version {
		misfits = append(misfits, Misfit{"tools.mod", fmt.Sprintf("generates with opgen %s, but this is opgen %s", tools[Opgen], r.Version)})
	}
	return append(misfits, kubernetesMisfits(project)...)
}

// kubernetesMisfits finds Kubernetes modules of another minor version than projects are pinned to.
func kubernetesMisfits(project map[string]string) []Misfit {
	pinned, err := modfile.Parse("project.mod", projectMod, nil)
	if err != nil {
		return []Misfit{{"go.mod", err.Error()}}
	}
	var misfits []Misfit
	for _, require := range pinned.Require {
		path, tested := require.Mod.Path, require.Mod.Version
		ofKubernetes := strings.HasPrefix(path, "k8s.io/") || path == "sigs.k8s.io/controller-runtime"
		if !ofKubernetes || module.IsPseudoVersion(tested) {
			continue
		}
		if has := project[path]; has != "" && semver.MajorMinor(has) != semver.MajorMinor(tested) {
			misfits = append(misfits, Misfit{"go.mod", fmt.Sprintf("%s %s does not fit opgen, which is tested with %s", path, has, tested)})
		}
	}
	return misfits
}

// selected returns the versions that a module file names, after its replacements; for a folder, its path.
func selected(name string, data []byte) (map[string]string, []Misfit) {
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, []Misfit{{name, err.Error()}}
	}
	versions := required(file)
	for _, replace := range file.Replace {
		if _, required := versions[replace.Old.Path]; !required {
			continue
		}
		versions[replace.Old.Path] = replace.New.Version
		if replace.New.Version == "" {
			versions[replace.Old.Path] = replace.New.Path
		}
	}
	if versions[Opgen] == "" {
		return nil, []Misfit{{name, "does not require " + Opgen}}
	}
	return versions, nil
}

// required returns the versions that a module file requires.
func required(file *modfile.File) map[string]string {
	versions := map[string]string{}
	for _, require := range file.Require {
		versions[require.Mod.Path] = require.Mod.Version
	}
	return versions
}
