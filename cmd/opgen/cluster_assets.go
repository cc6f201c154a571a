package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/project"
)

// assetsVariable is the environment variable with the folder of a control plane's executables.
// envtest reads the same variable.
const assetsVariable = "KUBEBUILDER_ASSETS"

// assetsFlag is the flag --assets: a folder of executables to use instead of building Kubernetes.
type assetsFlag struct{ dir string }

func (a *assetsFlag) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.dir, "assets", "", "use the executables in `DIR` and build nothing; when empty, build them (default $"+assetsVariable+")")
}

// open returns the executables to use. It returns the zero value if they are to be built. envtest's variable says
// nothing about a node, since no directory of envtest has one.
func (a *assetsFlag) open(ctx context.Context, cmd *cobra.Command, cache cluster.Cache, node bool) (cluster.Assets, error) {
	source, dir := "--assets", a.dir
	if !cmd.Flags().Changed("assets") {
		source, dir = assetsVariable, assetsFromEnvironment(cache)
		if node {
			dir = ""
		}
	}
	if dir == "" {
		return cluster.Assets{}, nil
	}
	assets, err := cluster.OpenAssets(ctx, dir)
	if err != nil && ctx.Err() == nil {
		return cluster.Assets{}, project.InputErrorf("%s %s: %w\n    name a directory with etcd and kube-apiserver, or build them: opgen cluster up --assets=", source, dir, err)
	}
	if err == nil && node {
		if missing := assets.MissingOfNode(); len(missing) > 0 {
			return cluster.Assets{}, project.InputErrorf("%s %s: this directory has no %s\n    build a directory for --node with `opgen cluster up --node --build-only`", source, dir, strings.Join(missing, ", "))
		}
	}
	return assets, err
}

// assetsFromEnvironment returns $KUBEBUILDER_ASSETS, or nothing if that is a folder of opgen's own
// cache. For example, a shell that ran eval "$(opgen cluster env)" has such a value, and the build
// it names may have been deleted since, or be of an earlier opgen.
func assetsFromEnvironment(cache cluster.Cache) string {
	dir := os.Getenv(assetsVariable)
	if dir == "" || cache.Contains(dir) {
		return ""
	}
	return dir
}
