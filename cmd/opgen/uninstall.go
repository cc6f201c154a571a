package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/project"
)

// uninstallOptions are the flags of opgen uninstall.
type uninstallOptions struct {
	deploymentOptions
	confirm string
	timeout time.Duration
}

func newUninstall(s streams) *cobra.Command {
	var o uninstallOptions
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Delete the project's CRDs from a cluster, with all objects of their kinds",
		Long: `Print the CRDs of the project that exist in a cluster, and how many objects of each kind they hold. With
--confirm=yes, delete the CRDs, and with them all these objects, and wait until they are gone; otherwise nothing is
deleted, and the exit code is 1. A CRD that neither opgen nor kubectl apply put there, but Helm for example, is kept.

Objects with a finalizer go only when their operator has removed it, so uninstall while the operator runs, before
undeploy, or after the last object is gone.

` + whichCluster,
		Example: `  opgen uninstall
  opgen uninstall --confirm=yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.confirm, "confirm", "", "yes: delete what is printed")
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "how long to wait for objects with finalizers")
	return cmd
}

func (o *uninstallOptions) run(ctx context.Context, s streams) error {
	if err := o.output.checkFormat(); err != nil {
		return err
	}
	if o.confirm != "" && o.confirm != "yes" {
		return project.InputErrorf("--confirm %q: write yes, or leave it out to see what would be deleted", o.confirm)
	}
	crds, err := readCRDManifest(s, "uninstall")
	if err != nil || crds == nil {
		return err
	}
	c, err := o.connect(ctx, s)
	if err != nil {
		return err
	}
	o.begin(s, c)
	data, err := c.Count(ctx, crds)
	if err != nil {
		return err
	}
	if !o.output.json() {
		printData(s.err, data)
	}
	report := deploymentReport{Server: c.Server, Data: data}
	goes := slices.ContainsFunc(data, func(each deployment.Data) bool { return each.Kept == "" })
	if o.confirm == "yes" && !o.dryRun && goes {
		defer showProgress(s.err, "deleting the CRDs and their objects")()
		report.Changes, err = c.DeleteCRDs(ctx, data, o.timeout)
		return o.report(s, report, err)
	}
	if o.output.json() {
		err = o.report(s, report, nil)
	}
	if err == nil && goes && !o.dryRun {
		fmt.Fprintln(s.err, "nothing was deleted: to delete all this, run it again with --confirm=yes, or: make uninstall CONFIRM=yes")
		err = errReported
	}
	return err
}

// printData prints what is deleted with CRDs.
func printData(w io.Writer, data []deployment.Data) {
	for _, each := range data {
		text := fmt.Sprintf("CustomResourceDefinition %s: %s of kind %s", each.CRD, agree(each.Objects, "object", "objects"), each.Kind)
		if each.Namespaces > 0 {
			text += " in " + agree(each.Namespaces, "namespace", "namespaces")
		}
		if each.Held > 0 {
			text += fmt.Sprintf(", %d of them with finalizers (%s)", each.Held, strings.Join(each.Finalizers, ", "))
		}
		if each.Kept != "" {
			text += "; kept: " + each.Kept
		}
		fmt.Fprintln(w, text)
	}
	if len(data) == 0 {
		fmt.Fprintln(w, "none of the project's CRDs is there")
	}
}
