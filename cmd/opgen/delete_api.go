package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// deleteAPIOptions are the flags of opgen delete api.
type deleteAPIOptions struct {
	kind, group string
	write       writeOptions
}

func newDeleteAPI(s streams) *cobra.Command {
	var o deleteAPIOptions
	cmd := &cobra.Command{
		Use:   "api --kind KIND",
		Short: "Remove an API kind: its spec file and its generated files",
		Long: `Remove an API kind from the project: its spec file and all its generated files. Files that are yours are left
and named. Nothing in a cluster is touched: opgen does not delete anybody's data.`,
		Example: "  opgen delete api --kind EchoServer",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return o.run(s) },
	}
	cmd.Flags().StringVar(&o.kind, "kind", "", "the kind (required)")
	cmd.Flags().StringVar(&o.group, "group", "", "its group, when several have the kind")
	o.write.addFlags(cmd)
	return cmd
}

func (o *deleteAPIOptions) run(s streams) error {
	if err := o.write.check(); err != nil {
		return err
	}
	if o.kind == "" {
		return usagef("--kind is missing: name the kind to delete")
	}
	p, err := loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	api, err := o.find(p)
	if err != nil {
		return err
	}
	in := p.input()
	in.APIs, in.Drop = p.without(api.File), []string{api.File}
	return o.write.remove(s, p, in, func(f scaffold.File) bool { return f.Kind == api.Names.Kind })
}

// remove generates the project without a part of it, and names the files of that part that are left: its author's.
func (o *writeOptions) remove(s streams, p *project, in scaffold.Input, belongs func(scaffold.File) bool) error {
	left, err := p.onceFiles(s, belongs)
	if err != nil {
		return err
	}
	if err := o.plan(s, p.dir, in); err != nil {
		return err
	}
	if !o.output.json() {
		for _, file := range left {
			fmt.Fprintf(s.err, "left    %s (yours: delete it when you no longer need it)\n", file)
		}
	}
	return nil
}

func (o *deleteAPIOptions) find(p *project) (*spec.API, error) {
	var found []*spec.API
	var kinds []string
	for _, api := range p.apis {
		kinds = append(kinds, api.Names.Kind)
		if api.Names.Kind == o.kind && (o.group == "" || o.group == api.Group) {
			found = append(found, api)
		}
	}
	switch len(found) {
	case 0:
		if len(kinds) == 0 {
			kinds = []string{"none"}
		}
		return nil, usagef("--kind %q: the project has no such kind; it has: %s", o.kind, strings.Join(kinds, ", "))
	case 1:
		return found[0], nil
	}
	return nil, usagef("--kind %q: %s and %s have that kind: add --group", o.kind, found[0].Group, found[1].Group)
}

// onceFiles names the files of a part of the project that are its author's and exist.
func (p *project) onceFiles(s streams, belongs func(scaffold.File) bool) ([]string, error) {
	in, err := readGo(s, p.dir, p.input())
	if err != nil {
		return nil, err
	}
	files, err := scaffold.Plan(in)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, f := range files.Files() {
		if f.Owner != scaffold.Once || !belongs(f) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.dir, f.Path)); !errors.Is(err, fs.ErrNotExist) {
			left = append(left, f.Path)
		}
	}
	return left, nil
}
