package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newClusterEnv(s streams) *cobra.Command {
	var (
		name instanceName
		out  outputFlag
	)
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the variables that make tools use the local cluster",
		Long: `Prints KUBECONFIG, KUBEBUILDER_ASSETS (a directory of executables for envtest), OPGEN_AUDIT_LOG (one
JSON event for each request) and, with a node, OPGEN_REGISTRY (HOST:PORT for images) as commands for a shell.`,
		Args:    cobra.NoArgs,
		Example: `  eval "$(opgen cluster env)"`,
		RunE: func(*cobra.Command, []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			instance, err := name.findRunning()
			if err != nil {
				return err
			}
			if out.json() {
				values := map[string]string{}
				for _, v := range instance.Env() {
					values[v.Name] = v.Value
				}
				return writeJSON(s.out, values)
			}
			for _, v := range instance.Env() {
				fmt.Fprintf(s.out, "export %s=%s\n", v.Name, shellQuote(v.Value))
			}
			return nil
		},
	}
	name.addFlag(cmd)
	out.addFlag(cmd)
	return cmd
}

// shellQuote quotes a text for POSIX shells, so that eval reads it as one word whatever it
// contains.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
