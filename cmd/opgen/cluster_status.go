package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
)

func newClusterStatus(s streams) *cobra.Command {
	var out outputFlag
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "List the local clusters",
		Args:    cobra.NoArgs,
		Example: "  opgen cluster status -o json",
		RunE: func(*cobra.Command, []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			state, err := cluster.DefaultStateDir()
			if err != nil {
				return err
			}
			list, err := cluster.List(state)
			if err != nil {
				return err
			}
			if out.json() {
				return writeJSON(s.out, list)
			}
			return printInstances(s, list)
		},
	}
	out.addFlag(cmd)
	return cmd
}

// printInstances prints a table of instances, and below it what to do about those that do not run.
func printInstances(s streams, list []cluster.Status) error {
	if len(list) == 0 {
		fmt.Fprintln(s.err, "no cluster is running: start one with `opgen cluster up`")
		return nil
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATE\tSERVER\tVERSION\tNODES\tAGE\tMEMORY\tPROCESSES")
	for _, i := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", i.Name, i.State, i.Server, i.Version, countNodes(i.Instance),
			formatAge(i.Instance), totalMegabytes(i.Memory), listProcesses(i.Instance))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, i := range list {
		if i.State != cluster.StateRunning {
			name := instanceName{i.Name}
			again := name.upCommand()
			if i.Node != nil {
				again += " --node"
			}
			fmt.Fprintf(s.err, "cluster %q is %s: `%s` starts it again, `opgen cluster down --name %s` removes it\n",
				i.Name, i.State, again, i.Name)
		}
	}
	return nil
}

func countNodes(i *cluster.Instance) int {
	if i.Node == nil {
		return 0
	}
	return 1
}

func formatAge(i *cluster.Instance) string {
	if i.StartedAt.IsZero() {
		return "-"
	}
	return time.Since(i.StartedAt).Round(time.Second).String()
}

func totalMegabytes(memory map[string]int64) string {
	var sum int64
	for _, bytes := range memory {
		sum += bytes
	}
	return fmt.Sprintf("%d MB", sum>>20)
}

// listProcesses names the pids of the processes that run and of those that do not run any more.
func listProcesses(i *cluster.Instance) string {
	var words []string
	for _, p := range i.Processes {
		if p.Running() {
			words = append(words, fmt.Sprintf("%s=%d", p.Name, p.PID))
		} else {
			words = append(words, p.Name+"=gone")
		}
	}
	return strings.Join(words, " ")
}
