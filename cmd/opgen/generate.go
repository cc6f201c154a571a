package main

import (
	"github.com/spf13/cobra"
)

func newGenerate(s streams) *cobra.Command {
	var o writeOptions
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Regenerate the generated files from the spec files",
		Long: `Regenerate the generated files from the spec files of the project; go generate runs this.

Files that are yours are made when they are absent and left alone otherwise. Nothing is written when a spec
file has an error, or when a generated file was edited by hand.`,
		Example: "  opgen generate\n  opgen generate --dry-run -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := o.check(); err != nil {
				return err
			}
			p, err := loadProject(s)
			if err != nil {
				return err
			}
			defer p.release()
			o.warnings = p.Warnings()
			return o.plan(s, p.Dir, p.Input())
		},
	}
	o.addFlags(cmd)
	return cmd
}
