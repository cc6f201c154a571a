package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/warnings"
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
		RunE: func(_ *cobra.Command, args []string) error { return o.asFlagMistakes(o.run(s, args[0])) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.file, "filename", "f", "", "the spec file; - is standard input")
	flags.StringSliceVar(&o.parents, "parent", nil, "a kind to operate as GROUP/VERSION/KIND; may be repeated")
	flags.StringSliceVar(&o.children, "child", nil, "a kind of children as GROUP/VERSION/KIND; may be repeated")
	o.write.addFlags(cmd)
	return cmd
}

// needsName takes the name of a controller.
func needsName(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("name one controller, such as service-per-pod")
	}
	return nil
}

func (o *createControllerOptions) run(s streams, name string) error {
	if err := o.write.check(); err != nil {
		return err
	}
	p, err := loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	source, data, err := o.source(s, name)
	if err != nil {
		return err
	}
	controller, problems := spec.ParseController(source, data)
	if err := problems.Err(); err != nil {
		return err
	}
	if controller.Name != name {
		return spec.Problems{{
			Pos: controller.Place("name"), Path: "name", Message: fmt.Sprintf("%q is another name than %q, which the command gives", controller.Name, name),
			Hint: "write name: " + name + ", or run: opgen create controller " + controller.Name + " -f " + o.file,
		}}.Err()
	}
	target := "controllers/" + name + ".yaml"
	if err := p.refuseOther(target, data); err != nil {
		return err
	}
	in := p.input()
	in.Controllers = p.withController(controller, target)
	if err := spec.Check(in.Project, in.APIs, in.Controllers).Err(); err != nil {
		return err
	}
	o.write.warnings = inTarget(warnings.OfControllers([]*spec.Controller{controller}), source, target)
	in.Extra = []scaffold.File{{Path: target, Content: data, Owner: scaffold.Once}}
	if err := o.write.plan(s, p.dir, in); err != nil || o.write.quiet() {
		return err
	}
	fmt.Fprintf(s.err, "next: write Sync in internal/%s/sync.go, then run: make test\n", controller.Package())
	return nil
}

// source gives the text of the controller's file and the name that its mistakes are reported under.
func (o *createControllerOptions) source(s streams, name string) (source string, data []byte, err error) {
	drafted := o.parents != nil || o.children != nil
	switch {
	case o.file != "" && drafted:
		return "", nil, usagef("-f names a whole spec file: leave out --parent and --child")
	case o.file != "":
		return specToCopy(s, o.file)
	case o.parents == nil:
		return "", nil, usagef("give -f FILE, or --parent")
	}
	view := templates.ControllerDraftView{Name: name}
	if view.Parents, err = draftKinds("--parent", o.parents); err != nil {
		return "", nil, err
	}
	if view.Children, err = draftKinds("--child", o.children); err != nil {
		return "", nil, err
	}
	data, err = templates.ControllerDraft(view)
	return draftName, data, err
}

// asFlagMistakes tells the mistakes in a draft, which nobody sees, as mistakes in what it was made of.
func (o *createControllerOptions) asFlagMistakes(err error) error {
	var problems spec.Problems
	if o.file != "" || !errors.As(err, &problems) {
		return err
	}
	return asFlagMistakes(problems, func(p spec.Problem) string {
		switch parent := flagOf(p, "--parent", o.parents, "parents"); {
		case p.Path == "name":
			return "NAME"
		case parent != "":
			return parent
		}
		return flagOf(p, "--child", o.children, "operator.children")
	})
}

// withController gives the project's controllers with one added, or put in place of the one from the same file, in the
// order that they will be loaded in.
func (p *project) withController(c *spec.Controller, file string) []*spec.Controller {
	c.File = file
	controllers := append(p.withoutController(file), c)
	slices.SortFunc(controllers, func(a, b *spec.Controller) int { return strings.Compare(a.File, b.File) })
	return controllers
}

// withoutController gives the project's controllers but the one from this file.
func (p *project) withoutController(file string) []*spec.Controller {
	return slices.DeleteFunc(slices.Clone(p.controllers), func(c *spec.Controller) bool { return c.File == file })
}
