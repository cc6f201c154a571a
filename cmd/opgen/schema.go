package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/reference"
)

// schemaOptions are the flags of opgen schema.
type schemaOptions struct{ write dirOptions }

func newSchema(s streams) *cobra.Command {
	var o schemaOptions
	cmd := &cobra.Command{
		Use:   "schema [project|api|controller|types] [--dir DIR]",
		Short: "Print the JSON Schema of the spec files, for editors",
		Long: `Print the JSON Schema (draft-07) of every spec file, or of one kind of spec file: project, which is opgen.yaml,
api, controller or types. It goes to standard output, or with --dir to a file there: spec.schema.json, or
project.schema.json and the like for one kind.

A project needs no copy made with this command: zz_generated.spec.schema.json is in it.`,
		Example: `  opgen schema > opgen.schema.json
  opgen schema api --dir schemas`,
		Args:      acceptKind,
		ValidArgs: reference.Kinds(),
		RunE:      func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	o.write.addFlags(cmd, "write a file into this folder")
	return cmd
}

// acceptKind returns an error unless there is at most one argument, and it is a kind of spec file.
func acceptKind(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return errors.New("name one kind of spec file, or none for all of them")
	case len(args) == 1 && !slices.Contains(reference.Kinds(), args[0]):
		return fmt.Errorf("%q is no kind of spec file: name %s", args[0], strings.Join(reference.Kinds(), " or "))
	}
	return nil
}

func (o *schemaOptions) run(s streams, args []string) error {
	if err := o.write.output.checkFormat(); err != nil {
		return err
	}
	file, err := schemaFile(args)
	if err != nil {
		return err
	}
	if o.write.dir == "" {
		_, err := s.out.Write(file.content)
		return err
	}
	return o.write.writeFiles(s, []dataFile{file}, nil)
}

// schemaFile returns the JSON Schema of the kind that is named, or one for all kinds.
func schemaFile(args []string) (dataFile, error) {
	if len(args) == 0 {
		content, err := reference.JSONSchema()
		return dataFile{"spec.schema.json", content}, err
	}
	content, err := reference.KindSchema(args[0])
	return dataFile{args[0] + ".schema.json", content}, err
}
