package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/warnings"
)

// createAPIOptions are the flags of opgen create api.
type createAPIOptions struct {
	file                 string
	group, version, kind string
	cluster              bool
	children             []string
	write                writeOptions
}

func newCreateAPI(s streams) *cobra.Command {
	var o createAPIOptions
	cmd := &cobra.Command{
		Use:   "api (-f FILE | --group GROUP --version VERSION --kind KIND [--child GROUP/VERSION/KIND ...])",
		Short: "Add an API kind from a spec file, or from a draft of one",
		Long: `Add an API kind to the project: copy the spec file to api/<kind>.yaml, or draft one there, and generate.

A group without a dot gets the project's domain. A child of the core group is written v1/Pod.`,
		Example: `  opgen create api -f echoserver.yaml
  opgen create api --group demo --version v1alpha1 --kind EchoServer --child v1/Pod --child apps/v1/Deployment`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.asFlagMistakes(o.run(s)) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.file, "filename", "f", "", "the spec file; - is standard input")
	flags.StringVar(&o.group, "group", "", "the API group")
	flags.StringVar(&o.version, "version", "", "the version, such as v1alpha1")
	flags.StringVar(&o.kind, "kind", "", "the kind, such as EchoServer")
	flags.BoolVar(&o.cluster, "cluster-scoped", false, "the kind has no namespace")
	flags.StringSliceVar(&o.children, "child", nil, "a kind of children as GROUP/VERSION/KIND; may be repeated")
	o.write.addFlags(cmd)
	return cmd
}

func (o *createAPIOptions) run(s streams) error {
	if err := o.write.check(); err != nil {
		return err
	}
	p, err := loadProject(s)
	if err != nil {
		return err
	}
	defer p.release()
	name, data, err := o.source(s, p)
	if err != nil {
		return err
	}
	api, problems := crdgen.Parse(name, data, p.spec.MinKubernetes, p.shared...)
	if err := problems.Err(); err != nil {
		return err
	}
	target := p.fileOf(api)
	if err := p.refuseOther(target, data); err != nil {
		return err
	}
	in := p.input()
	in.APIs = p.with(api, target)
	if err := spec.Check(in.Project, in.APIs, in.Controllers).Err(); err != nil {
		return err
	}
	o.write.warnings = inTarget(warnings.Of([]*spec.API{api}), name, target)
	in.Extra = []scaffold.File{{Path: target, Content: data, Owner: scaffold.Once}}
	if err := o.write.plan(s, p.dir, in); err != nil || o.write.quiet() {
		return err
	}
	return o.sayNext(s, p, api, in.APIs, target)
}

// fileOf is the spec file that an API gets: it is named after its group, too, where a kind of another group has its name.
func (p *project) fileOf(api *spec.API) string {
	kind := strings.ToLower(api.Names.Kind)
	target := "api/" + kind + ".yaml"
	taken := func(other *spec.API) bool { return other.File == target && other.Group != api.Group }
	if slices.ContainsFunc(p.apis, taken) {
		return "api/" + gomodel.GroupFolder(p.spec, api.Group) + "-" + kind + ".yaml"
	}
	return target
}

// source gives the text of the API file and the name that its mistakes are reported under.
func (o *createAPIOptions) source(s streams, p *project) (name string, data []byte, err error) {
	drafted := o.group != "" || o.version != "" || o.kind != "" || o.children != nil || o.cluster
	switch {
	case o.file != "" && drafted:
		return "", nil, usagef("-f names a whole spec file: leave out --group, --version, --kind, --child and --cluster-scoped")
	case o.file != "":
		return specToCopy(s, o.file)
	case o.group == "" || o.version == "" || o.kind == "":
		return "", nil, usagef("give -f FILE, or --group, --version and --kind")
	}
	data, err = o.draft(p)
	return draftName, data, err
}

// specToCopy reads the spec file that a command adds to the project, and returns the name for its mistakes.
func specToCopy(s streams, file string) (name string, data []byte, err error) {
	if file == "-" {
		data, err = readLimited("standard input", s.in)
		return "standard input", data, err
	}
	data, err = readSpec(file, file)
	return file, data, err
}

// inTarget tells what a draft is warned of as warnings of the file that it becomes.
func inTarget(warned spec.Problems, name, target string) spec.Problems {
	for i := range warned {
		if name == draftName {
			warned[i].Pos.File = target
		}
	}
	return warned
}

// draftName is what the draft of a spec file is called in positions.
const draftName = "draft"

// asFlagMistakes tells the mistakes in a draft, which nobody sees, as mistakes in the flags that it was made of.
func (o *createAPIOptions) asFlagMistakes(err error) error {
	var problems spec.Problems
	if o.file != "" || !errors.As(err, &problems) {
		return err
	}
	return asFlagMistakes(problems, func(p spec.Problem) string {
		if p.Pos.File != draftName {
			return ""
		}
		if child := flagOf(p, "--child", o.children, "operator.children"); child != "" {
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

// flagOf names the value of a flag that may be repeated by the problem with the item of a list that it became, and is
// empty for a problem elsewhere.
func flagOf(p spec.Problem, flag string, values []string, list string) string {
	for i, value := range values {
		if strings.HasPrefix(p.Path, fmt.Sprintf("%s[%d]", list, i)) {
			return fmt.Sprintf("%s %q", flag, value)
		}
	}
	return ""
}

func (o *createAPIOptions) draft(p *project) ([]byte, error) {
	if !strings.Contains(o.group, ".") && p.spec.Domain == "" {
		return nil, usagef("--group %q: write the whole group, such as %s.example.com, since opgen.yaml names no domain", o.group, o.group)
	}
	view := templates.DraftView{Group: o.group, Version: o.version, Kind: o.kind, Scope: string(spec.Namespaced)}
	if !strings.Contains(view.Group, ".") {
		view.Group += "." + p.spec.Domain
	}
	if o.cluster {
		view.Scope = string(spec.Cluster)
	}
	var err error
	if view.Children, err = draftKinds("--child", o.children); err != nil {
		return nil, err
	}
	return templates.Draft(view)
}

// draftKinds reads the kinds that a flag names as GROUP/VERSION/KIND.
func draftKinds(flag string, values []string) ([]templates.DraftKind, error) {
	var kinds []templates.DraftKind
	for _, value := range values {
		at := strings.LastIndex(value, "/")
		if at <= 0 || strings.Count(value, "/") > 2 {
			return nil, usagef("%s %q: write GROUP/VERSION/KIND, such as apps/v1/Deployment, or v1/Pod", flag, value)
		}
		apiVersion := strings.TrimPrefix(strings.TrimPrefix(value[:at], "core/"), "/")
		kinds = append(kinds, templates.DraftKind{APIVersion: apiVersion, Kind: value[at+1:]})
	}
	return kinds, nil
}

// refuseOther protects a spec file of that kind that is there already.
func (p *project) refuseOther(target string, data []byte) error {
	there, err := os.ReadFile(filepath.Join(p.dir, target))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return usageError{err}
	case bytes.Equal(there, data):
		return nil
	}
	return usagef("%s exists and says something else\n    edit that file and run: opgen generate", target)
}

// with gives the project's APIs with one added, or put in place of the one from the same file, in the order
// that they will be loaded in.
func (p *project) with(api *spec.API, file string) []*spec.API {
	api.File = file
	apis := append(p.without(file), api)
	slices.SortFunc(apis, func(a, b *spec.API) int { return strings.Compare(a.File, b.File) })
	return apis
}

// without gives the project's APIs but the one from this file.
func (p *project) without(file string) []*spec.API {
	return slices.DeleteFunc(slices.Clone(p.apis), func(api *spec.API) bool { return api.File == file })
}

func (o *createAPIOptions) sayNext(s streams, p *project, api *spec.API, all []*spec.API, target string) error {
	edit := target
	for _, v := range api.Versions {
		if v.GoTypes {
			edit = "the types of " + api.Names.Kind + " in " + gomodel.PackageDir(p.spec, api.Group, v.Name)
		}
	}
	if edit != target || api.Operator == nil {
		fmt.Fprintf(s.err, "next: edit %s, then run: opgen generate\n", edit)
	}
	if api.Operator == nil {
		return nil
	}
	folder := scaffold.OperatorFolder(os.DirFS(p.dir), p.spec, api, all)
	fmt.Fprintf(s.err, "next: write Sync in %s/sync.go, then run: make test\n", folder)
	return nil
}
