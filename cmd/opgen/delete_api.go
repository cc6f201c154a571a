package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
and named. Nothing in a cluster is touched: opgen does not delete anybody's data.

Where the kind, the group, the plural, the scope or the storage version of an API was changed, or its spec file removed,
generate refuses to go on: clusters still have what it was. This command then lets go of the old one, as opgen.lock
lists it; the spec file stays.`,
		Example: "  opgen delete api --kind EchoServer\n  opgen delete api --kind EchoServer --group demo.example.com",
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
	target, err := o.find(p)
	if err != nil {
		return err
	}
	if target.api == nil {
		return o.write.letGo(s, p, target)
	}
	in := p.input()
	in.APIs, in.Drop, in.LetGo = p.without(target.api.File), []string{target.api.File}, []string{target.name}
	return o.write.remove(s, p, in, func(f scaffold.File) bool { return f.API == target.name })
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
			printLeft(s, file)
		}
	}
	return nil
}

// deleted is an API to delete.
type deleted struct {
	name   string             // in opgen.lock
	api    *spec.API          // nil: no spec file describes what the lock lists
	locked scaffold.LockedAPI // zero: the lock does not list it
}

// find finds the API in the lock and in the spec files. One that the lock lists otherwise than its spec file describes
// it is that of the lock.
func (o *deleteAPIOptions) find(p *project) (deleted, error) {
	lock, err := scaffold.ReadLock(os.DirFS(p.dir))
	if err != nil {
		return deleted{}, err
	}
	known := map[string]deleted{}
	for name, locked := range lock.APIs {
		known[name] = deleted{name: name, locked: locked}
	}
	for _, api := range p.apis {
		name := scaffold.APIName(api)
		if d, listed := known[name]; !listed || d.locked.Describes(api) {
			known[name] = deleted{name: name, api: api, locked: d.locked}
		}
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
		return deleted{}, usagef("--kind %q: the project has no such kind; it has: %s", o.kind, strings.Join(slices.Compact(kinds), ", "))
	case 1:
		return known[found[0]], nil
	}
	return deleted{}, usagef("--kind %q: %s have that kind: add --group", o.kind, strings.Join(groups, " and "))
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
