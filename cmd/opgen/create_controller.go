package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// createControllerOptions are the flags of opgen create controller.
type createControllerOptions struct {
	file              string
	parents, children []string
	write             writeOptions
}

func newCreateController(s streams) *cobra.Command {
	var o createControllerOptions
	cmd := &cobra.Command{
		Use:   "controller NAME (-f FILE | --parent GROUP/VERSION/KIND ... [--child GROUP/VERSION/KIND ...])",
		Short: "Add a controller for kinds that exist already",
		Long: `Add a controller for kinds that exist already, such as StatefulSets: copy the spec file to controllers/NAME.yaml,
or draft one there, and generate. A kind of the core group is written v1/Pod.`,
		Example: `  opgen create controller service-per-pod -f service-per-pod.yaml
  opgen create controller service-per-pod --parent apps/v1/StatefulSet --child v1/Service`,
		Args: needsName,
		RunE: func(_ *cobra.Command, args []string) error { return o.explainInFlags(o.run(s, args[0])) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.file, "filename", "f", "", "the spec file; - is standard input")
	flags.StringSliceVar(&o.parents, "parent", nil, "a kind to operate as GROUP/VERSION/KIND; may be repeated")
	flags.StringSliceVar(&o.children, "child", nil, "a kind of children as GROUP/VERSION/KIND; may be repeated")
	o.write.addFlags(cmd)
	o.write.cache.addFlag(cmd)
	return cmd
}

// needsName returns an error unless the only argument is the name of a controller.
func needsName(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("name one controller, such as service-per-pod")
	}
	return nil
}

func (o *createControllerOptions) run(s streams, name string) error {
	if err := o.write.checkFormat(); err != nil {
		return err
	}
	p, err := o.write.cache.loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	file, err := o.readOrDraft(s, name)
	if err != nil {
		return err
	}
	added, err := p.AddController(file, name, func(other string) string {
		return "write name: " + name + ", or run: opgen create controller " + other + " -f " + o.file
	})
	if err != nil {
		return err
	}
	o.write.warnings = added.Warnings
	if _, _, err := o.write.plan(s, p.Dir, p.Tree, added.Input); err != nil || !o.write.namesNextStep() {
		return err
	}
	fmt.Fprintf(s.err, "next: write Sync in internal/%s/sync.go, then run: make test\n", added.Controller.Package())
	return nil
}

// readOrDraft returns the spec file of the controller: the one that -f names, or a draft made from
// the flags.
func (o *createControllerOptions) readOrDraft(s streams, name string) (project.SpecFile, error) {
	isDraft := o.parents != nil || o.children != nil
	switch {
	case o.file != "" && isDraft:
		return project.SpecFile{}, project.InputErrorf("-f names a whole spec file: leave out --parent and --child")
	case o.file != "":
		return readSpecOrStdin(s, o.file)
	case o.parents == nil:
		return project.SpecFile{}, project.InputErrorf("give -f FILE, or --parent")
	}
	parents, err := parseKinds("--parent", o.parents)
	if err != nil {
		return project.SpecFile{}, err
	}
	children, err := parseKinds("--child", o.children)
	if err != nil {
		return project.SpecFile{}, err
	}
	data, err := templates.ControllerDraft(templates.ControllerDraftView{Name: name, Parents: parents, Children: children})
	return project.SpecFile{Name: project.DraftName, Data: data}, err
}

// explainInFlags turns errors in a draft into errors in the flags and the argument that it was made
// from.
func (o *createControllerOptions) explainInFlags(err error) error {
	var problems spec.Problems
	if o.file != "" || !errors.As(err, &problems) {
		return err
	}
	return errorsInFlags(problems, func(p spec.Problem) string {
		switch parent := repeatedFlagOf(p, "--parent", o.parents, "parents"); {
		case p.Path == "name":
			return "NAME"
		case parent != "":
			return parent
		}
		return repeatedFlagOf(p, "--child", o.children, "operator.children")
	})
}
