package modules

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Mismatch is a version in a module file that does not fit this opgen, or the other module file.
type Mismatch struct {
	Path    string // of the module file
	Message string
}

// Mismatches compares the module files of a project with each other and with this opgen.
func (r Release) Mismatches(goMod, toolsMod []byte) []Mismatch {
	project, projectMismatches := versionsInModFile("go.mod", goMod)
	tools, toolsMismatches := versionsInModFile("tools.mod", toolsMod)
	mismatches := slices.Concat(projectMismatches, toolsMismatches)
	if len(mismatches) > 0 {
		return mismatches
	}
	if project[Opgen] != tools[Opgen] {
		mismatches = append(mismatches, Mismatch{"go.mod", fmt.Sprintf("links the runtime of opgen %s, but tools.mod generates with opgen %s: run opgen upgrade %s",
			project[Opgen], tools[Opgen], laterOf(project[Opgen], tools[Opgen]))})
	}
	if r.Checkout == "" && tools[Opgen] != r.Version {
		mismatches = append(mismatches, Mismatch{"tools.mod", fmt.Sprintf("generates with opgen %s, but this is opgen %s: run opgen upgrade %s, or use the opgen of the project",
			tools[Opgen], r.Version, laterOf(tools[Opgen], r.Version))})
	}
	return append(mismatches, kubernetesMismatches(project)...)
}

// laterOf returns the later one of two versions. A checkout counts as the earliest.
func laterOf(a, b string) string {
	if semver.Compare(a, b) < 0 {
		return b
	}
	return a
}

// kubernetesMismatches returns the Kubernetes modules of another minor version than the pinned one.
func kubernetesMismatches(project map[string]string) []Mismatch {
	pinned, err := modfile.Parse("project.mod", projectMod, nil)
	if err != nil {
		return []Mismatch{{"go.mod", err.Error()}}
	}
	var mismatches []Mismatch
	for _, require := range pinned.Require {
		path, tested := require.Mod.Path, require.Mod.Version
		ofKubernetes := strings.HasPrefix(path, "k8s.io/") || path == "sigs.k8s.io/controller-runtime"
		if !ofKubernetes || module.IsPseudoVersion(tested) {
			continue
		}
		if has := project[path]; has != "" && semver.MajorMinor(has) != semver.MajorMinor(tested) {
			mismatches = append(mismatches, Mismatch{"go.mod", fmt.Sprintf("%s %s does not fit opgen, which is tested with %s: require that", path, has, tested)})
		}
	}
	return mismatches
}

// versionsInModFile returns the versions in a module file after its replacements. For a replacement
// by a folder it is the path.
func versionsInModFile(name string, data []byte) (map[string]string, []Mismatch) {
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, []Mismatch{{name, err.Error()}}
	}
	versions := requiredVersions(file)
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
		return nil, []Mismatch{{name, "does not require " + Opgen}}
	}
	return versions, nil
}

// VersionOf returns the version of opgen that a module file requires. It is the path of a checkout if that replaces it.
func VersionOf(name string, data []byte) (string, error) {
	versions, mismatches := versionsInModFile(name, data)
	if len(mismatches) > 0 {
		return "", fmt.Errorf("%s: %s", mismatches[0].Path, mismatches[0].Message)
	}
	return versions[Opgen], nil
}

// requiredVersions returns the versions that a module file requires.
func requiredVersions(file *modfile.File) map[string]string {
	versions := map[string]string{}
	for _, require := range file.Require {
		versions[require.Mod.Path] = require.Mod.Version
	}
	return versions
}
