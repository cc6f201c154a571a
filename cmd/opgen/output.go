package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

// outputFlag is the flag -o, the format in which a command reports.
type outputFlag struct{ format string }

func (o *outputFlag) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.format, "output", "o", "text", "how to report: text or json")
}

// checkFormat returns an error if the format is unknown.
func (o *outputFlag) checkFormat() error {
	if o.format != "text" && o.format != "json" {
		return project.InputErrorf("--output %q: use text or json", o.format)
	}
	return nil
}

// addQuietFlag adds the flag -q, with which a command reports no changes.
func addQuietFlag(cmd *cobra.Command, quiet *bool) {
	cmd.Flags().BoolVarP(quiet, "quiet", "q", false, "print only warnings, conflicts and errors")
}

func (o *outputFlag) json() bool { return o.format == "json" }

// reportError prints why a command failed. It prints JSON if the output is JSON, so that a program
// that reads it need not parse two formats.
func reportError(s streams, cmd *cobra.Command, args []string, err error) {
	if asksForJSON(cmd, args) {
		err = writeJSON(s.out, map[string]any{"problems": errorReports(err)})
	}
	if err != nil {
		fmt.Fprintln(s.err, err)
	}
}

// asksForJSON reports whether a command line, or the defaults of its flags, ask for JSON. It cannot
// rely on parsed flags, since the error may be that they do not parse.
func asksForJSON(cmd *cobra.Command, args []string) bool {
	if cmd.DisableFlagParsing {
		return false // the arguments are those of another program
	}
	flag := cmd.Flags().Lookup("output")
	if flag != nil && flag.Changed {
		return flag.Value.String() == "json"
	}
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if (name == "-o" || name == "--output") && !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if value == "json" && (name == "-o" || name == "--output") || arg == "-ojson" {
			return true
		}
	}
	defaults, err := userDefaults()
	if flag == nil || err != nil {
		return false
	}
	key, ok := defaultKey(defaults, cmd, flag.Name)
	return ok && defaults.GetString(key) == "json"
}

// errorReports returns each problem of an error with its hint. An error that is no list of problems
// is one report.
func errorReports(err error) []problemReport {
	var outermost any = err // what wraps another error has its own message
	if input, ok := outermost.(project.InputError); ok {
		outermost = input.Err
	}
	if joined, ok := outermost.(interface{ Unwrap() []error }); ok {
		var reports []problemReport
		for _, each := range joined.Unwrap() {
			reports = append(reports, errorReports(each)...)
		}
		return reports
	}
	var problems spec.Problems
	if errors.As(err, &problems) {
		return problemReports(problems)
	}
	message, hint, _ := strings.Cut(err.Error(), "\n    ")
	return []problemReport{{Severity: spec.Problem{}.Severity(), Message: message, Hint: hint}}
}

// problemReport is one error in a spec file, or one warning, in the output of -o json.
type problemReport struct {
	Severity string       `json:"severity"` // error or warning
	Warning  spec.Warning `json:"warning,omitempty"`
	File     string       `json:"file,omitempty"`
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
