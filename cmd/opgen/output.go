package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/spec"
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

// reportError prints why a command has not done its work. Mistakes in spec files are data for whoever asked for
// JSON.
func reportError(s streams, cmd *cobra.Command, err error) {
	var problems spec.Problems
	asked := cmd.Flags().Lookup("output")
	if asked != nil && asked.Value.String() == "json" && errors.As(err, &problems) {
		err = writeJSON(s.out, map[string]any{"problems": problemReports(problems)})
	}
	if err != nil {
		fmt.Fprintln(s.err, err)
	}
}

// problemReport is one mistake in a spec file, or one warning, as -o json tells it.
type problemReport struct {
	Severity string       `json:"severity"` // error or warning
	Warning  spec.Warning `json:"warning,omitempty"`
	File     string       `json:"file"`
	Line     int          `json:"line,omitempty"`
	Column   int          `json:"column,omitempty"`
	Path     string       `json:"path,omitempty"`
	Message  string       `json:"message"`
	Hint     string       `json:"hint,omitempty"`
}

func problemReports(problems spec.Problems) []problemReport {
	reports := make([]problemReport, len(problems))
	for i, p := range problems {
		reports[i] = problemReport{p.Severity(), p.Warning, p.Pos.File, p.Pos.Line, p.Pos.Column, p.Path, p.Message, p.Hint}
	}
	return reports
}

// writeJSON writes one value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
