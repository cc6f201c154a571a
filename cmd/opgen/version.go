package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"github.com/opgen-dev/opgen"
	"github.com/opgen-dev/opgen/internal/cluster"
)

// version and commit are set by the linker in a release: -ldflags "-X main.version=v1.2.3".
var version, commit string

// versionInfo is what opgen version reports.
type versionInfo struct {
	Version           string `json:"version"` // a release, or (devel)
	Commit            string `json:"commit,omitempty"`
	Go                string `json:"go"`
	Platform          string `json:"platform"`
	ControllerRuntime string `json:"controllerRuntime,omitempty"` // that generated projects link
	Kubernetes        string `json:"kubernetes,omitempty"`        // the k8s.io modules that they link
	ControlPlane      string `json:"controlPlane"`                // the Kubernetes that opgen cluster up starts
}

func newVersion(s streams) *cobra.Command {
	var out outputFlag
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say which opgen this is",
		Args:    cobra.NoArgs,
		Example: "  opgen version -o json",
		RunE: func(*cobra.Command, []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			info := readVersion()
			if out.json() {
				return writeJSON(s.out, info)
			}
			fmt.Fprintf(s.out, "opgen %s", info.Version)
			if info.Commit != "" {
				fmt.Fprintf(s.out, " (commit %s)", info.Commit)
			}
			fmt.Fprintf(s.out, "\n%s %s, controller-runtime %s, Kubernetes modules %s, control plane %s\n",
				info.Go, info.Platform, info.ControllerRuntime, info.Kubernetes, info.ControlPlane)
			return nil
		},
	}
	out.addFlag(cmd)
	return cmd
}

// pinnedVersion returns the version of a module that opgen is tested with, and that generated
// projects are pinned to.
func pinnedVersion(path string) string {
	file, err := modfile.Parse("go.mod", opgen.GoMod, nil)
	if err != nil {
		return ""
	}
	for _, require := range file.Require {
		if require.Mod.Path == path {
			return require.Mod.Version
		}
	}
	return ""
}

// readVersion reads what the Go tool recorded in the binary, so that "go install" gives a version,
// too.
func readVersion() versionInfo {
	info := versionInfo{Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if ok {
		if info.Version == "" {
			info.Version = build.Main.Version
		}
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				info.Commit = setting.Value
			}
		}
	}
	info.ControllerRuntime = pinnedVersion("sigs.k8s.io/controller-runtime")
	info.Kubernetes = pinnedVersion("k8s.io/apimachinery")
	info.ControlPlane = cluster.Version
	if info.Version == "" {
		info.Version = "(devel)"
	}
	return info
}
