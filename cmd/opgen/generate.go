package main

import "github.com/spf13/cobra"

func newGenerate(s streams) *cobra.Command {
	var o writeOptions
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Regenerate the generated files from the spec files",
		Long: `Regenerate the generated files from the spec files of the project; go generate runs this.

Files that are yours are made when they are absent and left alone otherwise. Nothing is written when a spec
file has an error, or when a generated file was edited by hand.

What has not changed since the last run is not done again: opgen keeps a record of the project in $OPGEN_CACHE, or else
in the user's cache folder. --no-cache neither reads nor writes it.`,
		Example: "  opgen generate\n  opgen generate --dry-run -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := o.checkFormat(); err != nil {
				return err
			}
			return o.generate(s)
		},
	}
	o.addFlags(cmd)
	o.cache.addFlag(cmd)
	return cmd
}

// generate plans the whole project, unless the last run had nothing to change and nothing has
// changed since.
func (o *writeOptions) generate(s streams) error {
	opened, err := o.cache.openProject(s)
	if err != nil {
		return err
	}
	defer opened.release()
	version := readVersion().Version
	if warned, current := opened.record.IsCurrent(version); current {
		o.warnings = warned
		return o.report(s, nil)
	}
	p, err := opened.load()
	if err != nil {
		return err
	}
	o.warnings = p.Warnings()
	planned, changes, err := o.plan(s, p.Dir, p.Tree, p.Input())
	if err == nil {
		p.record.Save(p.Project, planned.Learned, changes, o.warnings)
	}
	return err
}
