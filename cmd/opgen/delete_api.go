package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
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
and named. Nothing in a cluster is touched: opgen does not delete anybody's data.

Where the kind, the group, the plural, the scope or the storage version of an API was changed, or a version or its spec
file removed, generate refuses to go on: clusters still have what it was. This command then lets go of the old one, as
opgen.lock lists it; the spec file stays.`,
		Example: "  opgen delete api --kind EchoServer\n  opgen delete api --kind EchoServer --group demo.example.com",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return o.run(s) },
	}
	cmd.Flags().StringVar(&o.kind, "kind", "", "the kind (required)")
	cmd.Flags().StringVar(&o.group, "group", "", "its group, when several have the kind")
	o.write.addFlags(cmd)
	o.write.cache.addFlag(cmd)
	return cmd
}

func (o *deleteAPIOptions) run(s streams) error {
	if err := o.write.checkFormat(); err != nil {
		return err
	}
	if o.kind == "" {
		return project.InputErrorf("--kind is missing: name the kind to delete")
	}
	p, err := o.write.cache.loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	known, err := o.findAPI(p)
	if err != nil {
		return err
	}
	if known.API == nil {
		return o.write.letGo(s, p, known)
	}
	return o.write.remove(s, p, p.RemoveAPI(known.API), func(f tree.File) bool { return f.API == known.Name })
}

// onceFiles returns the Once files of a part of a project that exist.
func onceFiles(s streams, p loadedProject, isPart func(tree.File) bool) ([]string, error) {
	source, err := readGo(s, p.Dir, p.Tree, p.Input())
	if err != nil {
		return nil, err
	}
	return p.OnceFiles(source, isPart)
}

// remove generates the project without one part, and names the Once files that the part has left.
func (o *writeOptions) remove(s streams, p loadedProject, in scaffold.Input, isPart func(tree.File) bool) error {
	left, err := onceFiles(s, p, isPart)
	if err != nil && !errors.As(err, new(spec.Problems)) {
		return err // other errors may be those of the part, and go with it
	}
	if _, _, err := o.plan(s, p.Dir, p.Tree, in); err != nil {
		return err
	}
	if o.reportsChanges() {
		for _, file := range left {
			printNotRemoved(s, file)
		}
	}
	return nil
}

// findAPI returns the API that the flags name, from the lock or the spec files.
func (o *deleteAPIOptions) findAPI(p loadedProject) (project.KnownAPI, error) {
	known, err := p.KnownAPIs()
	if err != nil {
		return project.KnownAPI{}, err
	}
	var found, kinds, groups []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		kind := schema.ParseGroupKind(name)
		kinds = append(kinds, kind.Kind)
		if kind.Kind == o.kind && (o.group == "" || o.group == kind.Group) {
			found, groups = append(found, name), append(groups, kind.Group)
		}
	}
	switch len(found) {
	case 0:
		if len(kinds) == 0 {
			kinds = []string{"none"}
		}
		return project.KnownAPI{}, project.InputErrorf("--kind %q: the project has no such kind; it has: %s", o.kind, strings.Join(slices.Compact(kinds), ", "))
	case 1:
		return known[found[0]], nil
	}
	return project.KnownAPI{}, project.InputErrorf("--kind %q: %s have that kind: add --group", o.kind, strings.Join(groups, " and "))
}
