package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// output is the flag -o: how a command reports.
type output struct{ format string }

func (o *output) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.format, "output", "o", "text", "how to report: text or json")
}

// check refuses a format that no command has.
func (o *output) check() error {
	if o.format != "text" && o.format != "json" {
		return usagef("--output %q: use text or json", o.format)
	}
	return nil
}

func (o *output) json() bool { return o.format == "json" }

// writeJSON writes one value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
