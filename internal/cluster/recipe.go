package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// recipe is what one build makes: the programs of modules in one directory.
type recipe struct {
	name     string // part of the key; empty for the control plane
	release  Release
	platform Platform // that it builds for
	modules  []module
	links    []string // names of the first module's binary
}

// module is a main module that a recipe builds. Its files are embedded.
type module struct {
	dir      string   // where its files are
	what     string   // its name for the user
	packages []string // of main programs
	output   string   // file or directory that they are written to, below that of the recipe
	tags     []string
	stamp    string // flags for the linker that stamp a version
	trimmed  bool   // whether trimModule applies
}

func (m module) flags() []string {
	flags := []string{"-trimpath", "-buildvcs=false", "-gcflags", compileFlags, "-ldflags", strings.TrimSpace("-s -w " + m.stamp)}
	if len(m.tags) > 0 {
		flags = append(flags, "-tags", strings.Join(m.tags, ","))
	}
	return flags
}

// controlPlaneRecipe makes one binary with the programs of a release's control plane.
func controlPlaneRecipe(release Release) recipe {
	release = release.orNewest()
	return recipe{release: release, platform: hostPlatform(), modules: []module{kubernetesModule(release)}, links: controlPlanePrograms()}
}

// nodeRecipe makes the same binary of the newest release with the programs of a node as well, and what a node needs
// beside it.
func nodeRecipe() recipe {
	kubernetes := kubernetesModule(Version)
	kubernetes.tags = []string{"node"}
	return recipe{
		name:     "node-",
		release:  Version,
		platform: hostPlatform(),
		modules: []module{
			kubernetes,
			{
				dir: "containerdmodule", what: "containerd", packages: []string{"tool"}, output: ".",
				tags: []string{"no_btrfs", "no_zfs", "no_devmapper"},
			},
			{dir: "nodemodule", what: "CoreDNS and a registry", packages: []string{"./..."}, output: "."},
		},
		links: slices.Concat(controlPlanePrograms(), []string{scheduler, kubeletProgram, kubeProxy}),
	}
}

func kubernetesModule(release Release) module {
	return module{
		dir: "module", what: "Kubernetes " + string(release), packages: []string{"."}, output: binaryName,
		stamp: versionStamp(release), trimmed: true,
	}
}

// versionStamp is a flag for the linker that makes the binary report its version.
func versionStamp(release Release) string {
	const stamp = "k8s.io/component-base/version."
	return fmt.Sprintf("-X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=1 -X %[1]sgitMinor=%[3]s -X %[1]sgitTreeState=clean",
		stamp, release, strings.TrimPrefix(release.Minor(), "1."))
}
