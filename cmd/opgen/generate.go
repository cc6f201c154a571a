package main

import (
	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

func newGenerate(s streams) *cobra.Command {
	var o writeOptions
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write the generated files anew from the spec files",
		Long: `Write the generated files anew from the spec files of the project; go generate runs this.

Files that are yours are made when they are absent and left alone otherwise. Nothing is written when a spec
file has a mistake, or when a generated file was edited by hand.`,
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
			o.warnings = p.warnings()
			return o.plan(s, p.dir, p.input())
		},
	}
	o.addFlags(cmd)
	return cmd
}

// warnings are what there is to warn of in the spec files.
func (p *project) warnings() spec.Problems {
	return append(warnings.Of(p.apis), warnings.OfControllers(p.controllers)...).Sorted()
}

// input is what the project is generated from.
func (p *project) input() scaffold.Input {
	return scaffold.Input{Project: p.spec, APIs: p.apis, Controllers: p.controllers, Tool: tool(p.dir)}
}
