package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/project"
)

// upOptions are the flags of opgen cluster up.
type upOptions struct {
	instanceName
	output            outputFlag
	assets            assetsFlag
	kubernetes        string // the version to build
	node              bool
	buildOnly, dryRun bool
}

func newClusterUp(s streams) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a local control plane or a node, building it on first use",
		Long: `Starts etcd, kube-apiserver and kube-controller-manager on loopback and returns when they are ready. An
instance that runs is left as it is.

With --node (Linux, root) it also starts what runs Pods: kube-scheduler, kubelet, kube-proxy, containerd, CoreDNS and a
registry, all in namespaces of their own. The API server and the registry listen on loopback of the host. To build
without root, use --node --build-only, which names a directory, and start with --node --assets DIR.

The executables are built on first use, unless --assets or $KUBEBUILDER_ASSETS names a directory that has
etcd and kube-apiserver: then nothing is built. With --kubernetes, another version of Kubernetes is built, whatever
$KUBEBUILDER_ASSETS names. Without a kube-controller-manager in that directory, the
instance runs without controllers, and the command says so.`,
		Args: cobra.NoArgs,
		Example: `  opgen cluster up
  eval "$(opgen cluster env)"
  opgen cluster up --name second -o json
  opgen cluster up --name oldest --kubernetes 1.33
  opgen cluster up --assets "$(setup-envtest use -p path)"
  sudo opgen cluster up --node`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.instanceName.addFlag(cmd)
	o.output.addFlag(cmd)
	o.assets.addFlag(cmd)
	cmd.Flags().StringVar(&o.kubernetes, "kubernetes", "", "build and run this `VERSION` of Kubernetes, such as "+strings.Join(releaseNames(), " or ")+" (default the last)")
	cmd.Flags().BoolVar(&o.node, "node", false, "start a node as well, so that Pods run: needs Linux and root")
	cmd.Flags().BoolVar(&o.buildOnly, "build-only", false, "make sure that the executables are there and start nothing")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done and do nothing")
	return cmd
}

func (o *upOptions) run(cmd *cobra.Command, s streams) error {
	up, err := o.options(cmd)
	if err != nil {
		return err
	}
	display := newProgressDisplay(s.err, up.Release)
	up.Progress = display.show
	switch {
	case o.dryRun:
		return o.printPlan(cmd.Context(), s, up)
	case o.buildOnly:
		return o.prepareAssets(cmd.Context(), s, up, display)
	}
	begin := time.Now()
	outcome, err := cluster.Up(cmd.Context(), up)
	display.finish()
	if errors.Is(err, cluster.ErrWithoutNode) {
		return fmt.Errorf("%w: end it first with `%s`, or choose another --name", err, o.downCommand())
	}
	if err != nil {
		return err
	}
	if o.kubernetes != "" && outcome.Version != string(up.Release) {
		return fmt.Errorf("cluster %q runs Kubernetes %s, not %s: run `%s` first, or name another instance with --name", o.name, outcome.Version, up.Release, o.downCommand())
	}
	return o.report(s, up, outcome, time.Since(begin))
}

// options checks the flags and returns them as options of package cluster.
func (o *upOptions) options(cmd *cobra.Command) (cluster.Options, error) {
	up := cluster.Options{Name: o.name, Node: o.node}
	if err := o.output.checkFormat(); err != nil {
		return up, err
	}
	if err := o.instanceName.checkName(); err != nil {
		return up, err
	}
	var err error
	if up.Cache, err = cluster.DefaultCache(); err != nil {
		return up, err
	}
	if up.State, err = cluster.DefaultStateDir(); err != nil {
		return up, err
	}
	if up.Release, err = o.release(cmd); err != nil || o.kubernetes != "" {
		return up, err
	}
	up.Assets, err = o.assets.open(cmd.Context(), cmd, up.Cache, o.node)
	return up, err
}

// release returns the release to build. A version that is named takes precedence over KUBEBUILDER_ASSETS, and
// contradicts --assets.
func (o *upOptions) release(cmd *cobra.Command) (cluster.Release, error) {
	if o.kubernetes == "" {
		return cluster.Version, nil
	}
	if cmd.Flags().Changed("assets") && o.assets.dir != "" {
		return "", project.InputErrorf("--kubernetes %s goes not with --assets %s: the executables there have a version of their own", o.kubernetes, o.assets.dir)
	}
	release, err := cluster.FindRelease(o.kubernetes)
	if err != nil {
		return "", project.InputErrorf("--kubernetes: %w", err)
	}
	if o.node && release != cluster.Version {
		return "", project.InputErrorf("--kubernetes %s goes not with --node: a node runs Kubernetes %s", o.kubernetes, cluster.Version)
	}
	return release, nil
}

// releaseNames returns the minor versions that can be built.
func releaseNames() (names []string) {
	for _, r := range cluster.Releases() {
		names = append(names, r.Minor())
	}
	return names
}

// printPlan prints what would be built and started.
func (o *upOptions) printPlan(ctx context.Context, s streams, up cluster.Options) error {
	if o.node && !o.buildOnly {
		if err := cluster.CheckNode(); err != nil {
			return err
		}
	}
	plan, err := cluster.PlanUp(ctx, up)
	if err != nil {
		return err
	}
	if o.output.json() {
		return writeJSON(s.out, plan)
	}
	if plan.Build {
		fmt.Fprintf(s.err, "would build Kubernetes %s%s into %s\n", plan.Version, o.withNode(), plan.Assets)
	} else {
		fmt.Fprintf(s.err, "would use Kubernetes %s in %s%s\n", plan.Version, plan.Assets, describeMissing(plan.Missing))
	}
	switch {
	case o.buildOnly:
	case plan.Start:
		fmt.Fprintf(s.err, "would start cluster %q%s in %s\n", o.name, o.withNode(), plan.Dir)
	default:
		fmt.Fprintf(s.err, "cluster %q is running already\n", o.name)
	}
	return nil
}

// withNode returns a clause for an instance with a node.
func (o *upOptions) withNode() string {
	if o.node {
		return " with a node"
	}
	return ""
}

// describeMissing returns a clause about programs that a directory lacks: ", without kubectl".
func describeMissing(missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	return ", without " + strings.Join(missing, " and ")
}

// prepareAssets builds the executables if they are to be built, and prints where they are.
func (o *upOptions) prepareAssets(ctx context.Context, s streams, up cluster.Options, display *progressDisplay) error {
	assets, what := up.Assets, "is used as it is"
	if assets == (cluster.Assets{}) {
		var err error
		if o.node {
			assets, err = cluster.BuildNode(ctx, up.Cache, up.Progress)
		} else {
			assets, err = cluster.Build(ctx, up.Cache, up.Release, up.Progress)
		}
		display.finish()
		if err != nil {
			return err
		}
		what = "is built"
	}
	if o.output.json() {
		return writeJSON(s.out, assets)
	}
	fmt.Fprintf(s.err, "Kubernetes %s%s %s in %s%s\n", assets.Version, o.withNode(), what, assets.Dir, describeMissing(assets.Missing()))
	return nil
}
