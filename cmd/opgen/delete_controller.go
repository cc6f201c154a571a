package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

func newDeleteController(s streams) *cobra.Command {
	var o writeOptions
	cmd := &cobra.Command{
		Use:   "controller NAME",
		Short: "Remove a controller: its spec file and its generated files",
		Long: `Remove a controller for kinds that exist already from the project: its spec file and all its generated files. Files
that are yours are left and named. Nothing in a cluster is touched: children stay until their parents go.`,
		Example: "  opgen delete controller service-per-pod",
		Args:    needsName,
		RunE:    func(_ *cobra.Command, args []string) error { return deleteController(s, o, args[0]) },

		ValidArgsFunction: completer(projectControllers).completeArgument,
	}
	o.addFlags(cmd)
	o.cache.addFlag(cmd)
	return cmd
}

func deleteController(s streams, o writeOptions, name string) error {
	if err := o.checkFormat(); err != nil {
		return err
	}
	p, err := o.cache.loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	controller, err := findController(p, name)
	if err != nil {
		lock, lockErr := scaffold.ReadLock(os.DirFS(p.Dir))
		if _, listed := lock.Controllers[name]; listed && lockErr == nil {
			return o.generateWithout(s, p, "controllers/"+name)
		}
		return err
	}
	if err := o.remove(s, p, p.RemoveController(controller), func(f tree.File) bool { return f.Controller == name }); err != nil {
		return err
	}
	if controller.Operator.Finalize && o.reportsChanges() {
		fmt.Fprintln(s.err, "note: objects in clusters that have the controller's finalizer wait for it when they are deleted; to free them, "+
			"generate and run the operator without finalize: true first")
	}
	return nil
}

// findController returns the controller of a project with a name.
func findController(p loadedProject, name string) (*spec.Controller, error) {
	names := []string{}
	for _, c := range p.Controllers {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return nil, project.InputErrorf("%q: the project has no such controller; it has: %s", name, strings.Join(names, ", "))
}
