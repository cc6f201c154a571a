package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/deployment"
)

// deploymentOptions are the flags of every command that changes what is in a cluster.
type deploymentOptions struct {
	clusterAccess
	output        outputFlag
	quiet, dryRun bool
}

func (o *deploymentOptions) addFlags(cmd *cobra.Command) {
	o.clusterAccess.addFlags(cmd)
	o.output.addFlag(cmd)
	addQuietFlag(cmd, &o.quiet)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and change nothing in the cluster")
}

// deploymentReport is what such a command has done, or would do.
type deploymentReport struct {
	Server  string              `json:"server"`
	DryRun  bool                `json:"dryRun"`
	Data    []deployment.Data   `json:"data,omitempty"` // what is deleted with CRDs
	Changes []deployment.Change `json:"changes"`

	// Dependents are deleted with their owners.
	Dependents []deployment.Dependent `json:"dependents,omitempty"`
}

// report prints what became of each object, also when some failed.
func (o *deploymentOptions) report(s streams, r deploymentReport, failed error) error {
	r.DryRun = o.dryRun
	if r.Changes == nil {
		r.Changes = []deployment.Change{}
	}
	if o.output.json() {
		if failed != nil {
			return failed
		}
		return writeJSON(s.out, r)
	}
	if !o.quiet {
		r.printText(s.err)
	}
	return failed
}

func (r deploymentReport) printText(w io.Writer) {
	unchanged := 0
	for _, change := range r.Changes {
		switch {
		case change.Action == deployment.Unchanged:
			unchanged++
		case change.Reason != "":
			fmt.Fprintf(w, "%-10s  %s: %s\n", change.Action, change.Title(), change.Reason)
		default:
			fmt.Fprintf(w, "%-10s  %s\n", change.Action, change.Title())
		}
	}
	if unchanged > 0 {
		fmt.Fprintf(w, "%-10s  %s\n", deployment.Unchanged, agree(unchanged, "object", "objects"))
	}
	if len(r.Changes) == 0 {
		fmt.Fprintln(w, "nothing to do")
	}
	if r.DryRun {
		fmt.Fprintln(w, "dry run: nothing was changed")
	}
}

// begin says which cluster a command works in.
func (o *deploymentOptions) begin(s streams, c *deployment.Cluster) {
	if !o.quiet && !o.output.json() {
		fmt.Fprintf(s.err, "cluster %s\n", c.Server)
	}
}

// warnOfHeld warns of objects that cannot be deleted without the operator.
func warnOfHeld(s streams, data []deployment.Data) {
	for _, each := range data {
		if each.Held > 0 {
			fmt.Fprintf(s.err, "warning: %s of kind %s cannot be deleted without the operator, which removes their finalizers\n",
				agree(each.Held, "object", "objects"), each.Kind)
		}
	}
}
