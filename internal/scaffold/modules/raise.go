package modules

import (
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// KubernetesAPI is the module whose version all modules of Kubernetes share that are released with it.
const KubernetesAPI = "k8s.io/api"

// releasedWithAPI matches a module of Kubernetes and its version, if that is one of a release of Kubernetes.
var releasedWithAPI = lazyregexp.New(`^k8s\.io/[a-z0-9-]+ v0\.(1[7-9]|[2-9][0-9])\.[0-9]+$`)

// raisePins raises the replacements in a module file that pin a module below the version that opgen's runtime requires:
// go takes them before any requirement.
func raisePins(file *modfile.File) error {
	own, err := modfile.Parse("project.mod", projectMod, nil)
	if err != nil {
		return err
	}
	for _, require := range own.Require {
		if err := raisePin(file, require.Mod.Path, require.Mod.Version); err != nil {
			return err
		}
	}
	return nil
}

// raisePin raises the replacement of a module by an older version of itself. Any other replacement, such as by a fork or
// a folder, is left as it is.
func raisePin(file *modfile.File, path, version string) error {
	i := slices.IndexFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == path && r.Old.Version == "" })
	if i < 0 {
		return nil
	}
	if to := file.Replace[i].New; to.Path != path || semver.Compare(to.Version, version) >= 0 {
		return nil
	}
	return file.AddReplace(path, "", path, version)
}

// RaiseKubernetes returns a module file with requirements of some modules of Kubernetes in a version, and with no
// replacement by an older one.
func RaiseKubernetes(modFile []byte, paths []string, version string) ([]byte, error) {
	file, err := modfile.Parse("go.mod", modFile, nil)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := file.AddRequire(path, version); err != nil {
			return nil, err
		}
		if err := raisePin(file, path, version); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	return file.Format()
}

// Pins returns the versions of the modules that a module file replaces by a version of themselves.
func Pins(modFile []byte) (map[string]string, error) {
	file, err := modfile.Parse("go.mod", modFile, nil)
	if err != nil {
		return nil, err
	}
	pins := map[string]string{}
	for _, r := range file.Replace {
		if r.Old.Path == r.New.Path && r.Old.Path != Opgen {
			pins[r.Old.Path] = r.New.Version
		}
	}
	return pins, nil
}

// Required returns the version of a module that a module file requires, and "" if it requires none.
func Required(modFile []byte, path string) (string, error) {
	file, err := modfile.Parse("go.mod", modFile, nil)
	if err != nil {
		return "", err
	}
	for _, r := range file.Require {
		if r.Mod.Path == path {
			return r.Mod.Version, nil
		}
	}
	return "", nil
}

// IsBehind reports whether a module is one of Kubernetes that is released with its API, such as k8s.io/kubectl, and has an
// older version than that.
func IsBehind(path, version, api string) bool {
	return releasedWithAPI().MatchString(path+" "+version) && semver.Compare(version, api) < 0
}
