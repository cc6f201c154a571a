package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// createAPIOptions are the flags of opgen create api.
type createAPIOptions struct {
	files                []string
	group, version, kind string
	cluster              bool
	children             []string
	write                writeOptions
}

func newCreateAPI(s streams) *cobra.Command {
	var o createAPIOptions
	cmd := &cobra.Command{
		Use:   "api (-f FILE ... | --group GROUP --version VERSION --kind KIND [--child GROUP/VERSION/KIND ...])",
		Short: "Add an API kind from a spec file, or from a draft of one",
		Long: `Add an API kind to the project: copy the spec file to api/<kind>.yaml, or draft one there, and generate.

Repeat -f for kinds that name each other: they are checked as one set, and nothing is written if one is wrong.

A group without a dot gets the project's domain. A child of the core group is written v1/Pod.`,
		Example: `  opgen create api -f echoserver.yaml
  opgen create api -f cluster.yaml -f backup.yaml
  opgen create api --group demo --version v1alpha1 --kind EchoServer --child v1/Pod --child apps/v1/Deployment`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.explainInFlags(o.run(s)) },
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "a spec file; - is standard input; may be repeated")
	flags.StringVar(&o.group, "group", "", "the API group")
	flags.StringVar(&o.version, "version", "", "the version, such as v1alpha1")
	flags.StringVar(&o.kind, "kind", "", "the kind, such as EchoServer")
	flags.BoolVar(&o.cluster, "cluster-scoped", false, "the kind has no namespace")
	flags.StringSliceVar(&o.children, "child", nil, "a kind of children as GROUP/VERSION/KIND; may be repeated")
	o.write.addFlags(cmd)
	o.write.cache.addFlag(cmd)
	return cmd
}

func (o *createAPIOptions) run(s streams) error {
	if err := o.write.checkFormat(); err != nil {
		return err
	}
	p, err := o.write.cache.loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	files, err := o.readOrDraft(s, p)
	if err != nil {
		return err
	}
	added, err := p.AddAPIs(files)
	if err != nil {
		return err
	}
	o.write.warnings = added.Warnings
	if _, _, err := o.write.plan(s, p.Dir, p.Tree, added.Input); err != nil || !o.write.namesNextStep() {
		return err
	}
	for _, api := range added.APIs {
		printNext(s, p, api, added.Input)
	}
	return nil
}

// readOrDraft returns the spec files of the APIs: those that -f names, or a draft made from the
// flags.
func (o *createAPIOptions) readOrDraft(s streams, p loadedProject) ([]project.SpecFile, error) {
	isDraft := o.group != "" || o.version != "" || o.kind != "" || o.children != nil || o.cluster
	switch {
	case len(o.files) > 0 && isDraft:
		return nil, project.InputErrorf("-f names a whole spec file: leave out --group, --version, --kind, --child and --cluster-scoped")
	case len(o.files) > 0:
		return readFiles(s, o.files)
	case o.group == "" || o.version == "" || o.kind == "":
		return nil, project.InputErrorf("give -f FILE, or --group, --version and --kind")
	}
	data, err := o.renderDraft(p)
	return []project.SpecFile{{Name: project.DraftName, Data: data}}, err
}

// readFiles reads several spec files, and returns all errors at once.
func readFiles(s streams, names []string) (files []project.SpecFile, err error) {
	if first := slices.Index(names, "-"); first >= 0 && slices.Contains(names[first+1:], "-") {
		return nil, project.InputErrorf("-f - is given twice: standard input is one file")
	}
	var failed []error
	for _, name := range names {
		file, err := readSpecOrStdin(s, name)
		files, failed = append(files, file), append(failed, err)
	}
	return files, errors.Join(failed...)
}

// explainInFlags turns errors in a draft into errors in the flags that the draft was made from,
// because the user never sees the draft.
func (o *createAPIOptions) explainInFlags(err error) error {
	var problems spec.Problems
	if len(o.files) > 0 || !errors.As(err, &problems) {
		return err
	}
	return errorsInFlags(problems, func(p spec.Problem) string {
		if p.Pos.File != project.DraftName {
			return ""
		}
		if child := repeatedFlagOf(p, "--child", o.children, "operator.children"); child != "" {
			return child
		}
		for field, flag := range map[string]string{"group": "--group", "names": "--kind", "scope": "--cluster-scoped", "versions": "--version"} {
			if strings.HasPrefix(p.Path, field) {
				return flag
			}
		}
		return ""
	})
}

// repeatedFlagOf returns the flag and value that a list item of the draft was made from, for
// example `--child "v1/Pod"` for a problem at operator.children[1]. It returns "" for a problem
// elsewhere.
func repeatedFlagOf(p spec.Problem, flag string, values []string, list string) string {
	for i, value := range values {
		if strings.HasPrefix(p.Path, fmt.Sprintf("%s[%d]", list, i)) {
			return fmt.Sprintf("%s %q", flag, value)
		}
	}
	return ""
}

// renderDraft renders a spec file with what the flags say, for its author to edit.
func (o *createAPIOptions) renderDraft(p loadedProject) ([]byte, error) {
	if !strings.Contains(o.group, ".") && p.Spec.Domain == "" {
		return nil, project.InputErrorf("--group %q: write the whole group, such as %s.example.com, since opgen.yaml names no domain", o.group, o.group)
	}
	view := templates.DraftView{Group: o.group, Version: o.version, Kind: o.kind, Scope: string(spec.Namespaced)}
	if !strings.Contains(view.Group, ".") {
		view.Group += "." + p.Spec.Domain
	}
	if o.cluster {
		view.Scope = string(spec.Cluster)
	}
	var err error
	if view.Children, err = parseKinds("--child", o.children); err != nil {
		return nil, err
	}
	return templates.Draft(view)
}

// parseKinds parses the values of a flag of the form GROUP/VERSION/KIND.
func parseKinds(flag string, values []string) ([]templates.DraftKind, error) {
	var kinds []templates.DraftKind
	for _, value := range values {
		at := strings.LastIndex(value, "/")
		if at <= 0 || strings.Count(value, "/") > 2 {
			return nil, project.InputErrorf("%s %q: write GROUP/VERSION/KIND, such as apps/v1/Deployment, or v1/Pod", flag, value)
		}
		apiVersion := strings.TrimPrefix(strings.TrimPrefix(value[:at], "core/"), "/")
		kinds = append(kinds, templates.DraftKind{APIVersion: apiVersion, Kind: value[at+1:]})
	}
	return kinds, nil
}

// printNext prints which file to edit next, which depends on where the types and the Sync are
// written.
func printNext(s streams, p loadedProject, api *spec.API, all scaffold.Input) {
	edit := api.File
	for _, v := range api.Versions {
		if v.GoTypes {
			edit = "the types of " + api.Names.Kind + " in " + gomodel.PackageDir(p.Spec, api.Group, v.Name)
		}
	}
	if edit != api.File || api.Operator == nil {
		fmt.Fprintf(s.err, "next: edit %s, then run: opgen generate\n", edit)
	}
	if api.Operator == nil {
		return
	}
	folder := scaffold.OperatorFolder(os.DirFS(p.Dir), p.Spec, api.Summary(), scaffold.Summaries(all.APIs))
	fmt.Fprintf(s.err, "next: write Sync in %s/sync.go, then run: make test\n", folder)
}
