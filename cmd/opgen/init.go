package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// defaultDomain is the domain of a project that is given none.
const defaultDomain = "example.com"

// initOptions are the flags of opgen init.
type initOptions struct {
	module, domain, name, watch string
	isNamed                     bool // by --name, not by the folder
	multigroup, clients         bool
	templates, ci               []string
	fromKubebuilder             bool
	write                       writeOptions
}

func newInit(s streams) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init DIR --module MODULE | init DIR --from-kubebuilder",
		Short: "Make a project with no API yet, or take over a project of kubebuilder",
		Long: `Make a project with no API yet. DIR must not exist, or hold no more than a clone of an empty
repository does: .git, .gitignore, .gitattributes, a README and a licence, which are left as they are.

--template adds templates of your own: a folder, such as ./house, whose templates are copied into the project, or a folder
of a Go module, such as example.com/house/templates@v1.2.0, which tools.mod then requires. The module is downloaded; no
other command uses the network for it.

--ci adds continuous integration as templates of yours: lint, tests, tests on a control plane, generated files, known
vulnerabilities, and the image of each tag. To have your team's own instead, name it with --template.

--from-kubebuilder takes over a project of kubebuilder, or of operator-sdk in Go, in DIR: it writes spec files for the
kinds of its Go code, opgen.yaml with the settings of controller-gen, and a main that runs the controllers and webhooks as
they are. Types, controllers, webhooks, tests, Makefile and all other files stay; go.mod and go.sum get the versions that
opgen's runtime needs. It prints which lines of yours to change, and what is superfluous then.`,
		Example: `  opgen init echo-operator --module example.com/echo-operator --domain example.com
  opgen init . --module github.com/me/echo-operator
  opgen init . --from-kubebuilder
  opgen init echo-operator --module example.com/echo-operator --template example.com/house/templates`,
		Args: needsFolder,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.module, "module", "", "the Go module path of the project (required)")
	flags.StringVar(&o.module, "repo", "", "the same as --module")
	flags.StringVar(&o.domain, "domain", defaultDomain, "the DNS suffix of API groups")
	flags.StringVar(&o.name, "name", "", "the name of the operator (default: the name of DIR)")
	flags.StringVar(&o.watch, "watch", string(spec.WatchCluster), "where parents live: cluster, or namespace (the operator's own)")
	flags.BoolVar(&o.multigroup, "multigroup", false, "put types into api/<group>/<version>")
	flags.BoolVar(&o.clients, "clients", false, "generate typed clients into client/")
	flags.BoolVar(&o.fromKubebuilder, "from-kubebuilder", false, "take over the project of kubebuilder in DIR; module, domain and multigroup are its own")
	flags.StringSliceVar(&o.templates, "template", nil, "templates of your own: a folder, or MODULE/PATH@VERSION; may be repeated")
	flags.StringSliceVar(&o.ci, "ci", nil, "continuous integration: github or gitlab, as templates that are yours; may be repeated")
	_ = flags.MarkHidden("repo") // for people who come from kubebuilder
	o.write.addFlags(cmd)
	return cmd
}

// needsFolder returns an error unless the only argument is a folder.
func needsFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("name one folder for the project; . is this one")
	}
	return nil
}

// run writes a new project into dir, and prints the command to run next. It writes nothing unless the
// folder is empty, or an init was stopped there before it wrote opgen.yaml, and every flag is valid.
func (o *initOptions) run(ctx context.Context, s streams, dir string) error {
	if err := o.write.checkFormat(); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if o.isNamed = o.name != ""; o.fromKubebuilder {
		return o.takeOver(ctx, s, dir)
	}
	if project.IsKubebuilder(dir) {
		return project.InputErrorf("%s has a project of kubebuilder\n    take it over with: opgen init %s --from-kubebuilder", project.ShortPath(dir), project.ShortPath(dir))
	}
	if o.module == "" {
		return project.InputErrorf("--module is missing: give the Go module path, such as --module example.com/%s", filepath.Base(dir))
	}
	if !o.isNamed {
		o.name = strings.ToLower(filepath.Base(dir))
	}
	isUnfinished := false // by an init that was stopped before it wrote opgen.yaml
	if !o.write.dryRun {
		held, err := lockFolder(s, dir)
		if err != nil {
			return cmp.Or(checkVacant(dir), err)
		}
		defer held.Release()
		_, err = os.Lstat(filepath.Join(dir, project.FileName))
		isUnfinished = held.Interrupted && errors.Is(err, fs.ErrNotExist)
	}
	if err := checkVacant(dir); err != nil && !isUnfinished {
		return err
	}
	in, err := o.newInput(ctx, s, dir)
	if err != nil {
		return err
	}
	if _, _, err := o.write.plan(s, dir, os.DirFS(dir), in); err != nil || !o.write.namesNextStep() {
		return err
	}
	next := "opgen create api -f FILE"
	if here := project.ShortPath(dir); here != "." {
		next = "cd " + here + " && " + next
	}
	fmt.Fprintf(s.err, "next: %s\n      (or: opgen create api --group demo --version v1alpha1 --kind EchoServer,\n       or for kinds that exist already: opgen create controller NAME --parent apps/v1/StatefulSet)\n", next)
	return nil
}

// newInput returns what the new project is generated from.
func (o *initOptions) newInput(ctx context.Context, s streams, dir string) (scaffold.Input, error) {
	view := templates.ProjectView{
		Name: o.name, Module: o.module, Domain: o.domain, Watch: o.watch, Multigroup: o.multigroup, Clients: o.clients,
	}
	if _, _, err := o.parseView(view); err != nil { // before anything is downloaded
		return scaffold.Input{}, err
	}
	found, err := o.findTemplates(ctx, s)
	if err != nil {
		return scaffold.Input{}, err
	}
	tool, err := project.ToolFor(dir, readVersion().Version)
	if err != nil {
		return scaffold.Input{}, err
	}
	view.Templates = found.Folders
	parsed, file, err := o.parseView(view)
	return scaffold.Input{
		Project: parsed, Requires: found.Requires,
		Tool:  tool,
		Extra: append(found.Files, tree.File{Path: project.FileName, Content: file, Owner: tree.Once}),
	}, err
}

// parseView renders opgen.yaml of a new project and parses it. Errors name the flags that the
// values came from, or the folder.
func (o *initOptions) parseView(view templates.ProjectView) (*spec.Project, []byte, error) {
	file, err := templates.ProjectFile(view)
	if err != nil {
		return nil, nil, err
	}
	parsed, problems := spec.ParseProject(project.FileName, file)
	if len(problems) > 0 {
		return nil, nil, errorsInFlags(problems, func(p spec.Problem) string {
			if p.Path == "name" && !o.isNamed {
				return "the name of " + o.nameSource() + ", which --name replaces"
			}
			flag, _, _ := strings.Cut(p.Path, "s[") // templates[0]
			return "--" + flag
		})
	}
	return parsed, file, nil
}

// nameSource returns what has given the project its name.
func (o *initOptions) nameSource() string {
	if o.fromKubebuilder && o.name == "" {
		return "PROJECT"
	}
	return "the folder"
}

// findTemplates finds the authors' templates that --templates names, downloading their modules.
func (o *initOptions) findTemplates(ctx context.Context, s streams) (project.NewTemplates, error) {
	if len(o.templates)+len(o.ci) > 0 {
		defer showProgress(s.err, "looking up templates")()
	}
	return project.FindTemplates(ctx, o.templates, o.ci)
}

// errorsInFlags turns errors in a file into errors in the flags that it was made from. flagOf
// returns the flag of a problem, and "" for a problem that no flag caused.
func errorsInFlags(problems spec.Problems, flagOf func(spec.Problem) string) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		name := flagOf(p)
		if name == "" {
			errs[i] = errors.New(p.String())
			continue
		}
		text := name + ": " + p.Message
		if p.Hint != "" {
			text += "\n    " + strings.ReplaceAll(p.Hint, kinds.ForeignKindHint, kinds.ForeignKindHint+" in a spec file, and name that with -f")
		}
		errs[i] = errors.New(text)
	}
	return project.InputError{Err: errors.Join(errs...)}
}

// checkVacant returns an error if a folder contains more than a fresh clone of an empty repository:
// .git and files such as README.md, LICENSE and .gitignore.
func checkVacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return project.InputErrorf("%s is a file, or is below a file: name a folder", project.ShortPath(dir))
	}
	if err != nil {
		return project.InputError{Err: err}
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		switch {
		case name == ".GIT", name == ".GITIGNORE", name == ".GITATTRIBUTES",
			strings.HasPrefix(name, "README"), strings.HasPrefix(name, "LICEN"):
		default:
			return project.InputErrorf("%s is not empty (it has %s): choose another folder, or one that is new", project.ShortPath(dir), entry.Name())
		}
	}
	return nil
}
