package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

// crdOptions are the flags of opgen crd.
type crdOptions struct {
	minKubernetes string
	write         dirOptions
}

func newCRD(s streams) *cobra.Command {
	var o crdOptions
	cmd := &cobra.Command{
		Use:   "crd FILE... [--dir DIR]",
		Short: "Turn spec files into CustomResourceDefinitions, without a project",
		Long: `Turn API spec files into CustomResourceDefinitions. They go to standard output, or with --dir to files there,
named <plural>.<group>.yaml. - is standard input. The files can use the types of a types.yaml in their folder, and of
files of kind Types that are named too.

With -o json and without --dir, standard output is one JSON document with the list crds.`,
		Example: "  opgen crd api/echoserver.yaml | kubectl apply --server-side -f -",
		Args:    needsFile,
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	o.write.addFlags(cmd, "write a file for each CRD into this folder")
	cmd.Flags().StringVar(&o.minKubernetes, "min-kubernetes", spec.DefaultMinKubernetes, "oldest Kubernetes that the CRDs must work on")
	return cmd
}

// needsFile returns an error unless there is an argument.
func needsFile(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("name a spec file, or - for standard input")
	}
	return nil
}

// run prints the CRDs as one YAML stream, or writes them into --dir. It fails as a whole: either
// every file gives a CRD or nothing is written.
func (o *crdOptions) run(s streams, files []string) error {
	if err := o.write.output.checkFormat(); err != nil {
		return err
	}
	if err := spec.CheckMinKubernetes(o.minKubernetes); err != nil {
		return project.InputErrorf("--min-kubernetes %q: %w", o.minKubernetes, err)
	}
	crds, warned, err := o.render(s, files)
	if err != nil {
		return err
	}
	if o.write.dir == "" && o.write.output.json() {
		return reportCRDs(s, crds, warned)
	}
	if o.write.dir == "" {
		for i, crd := range crds {
			if i > 0 {
				fmt.Fprintln(s.out, "---")
			}
			if _, err := s.out.Write(crd.content); err != nil {
				return err
			}
		}
		printWarnings(s.err, warned)
		return nil
	}
	return o.write.writeFiles(s, crds, warned)
}

// reportCRDs writes CRDs as one JSON document.
func reportCRDs(s streams, crds []dataFile, warned spec.Problems) error {
	objects := make([]json.RawMessage, len(crds))
	for i, crd := range crds {
		object, err := yaml.YAMLToJSON(crd.content)
		if err != nil {
			return fmt.Errorf("%s: %w", crd.name, err)
		}
		objects[i] = object
	}
	report := map[string]any{"crds": objects}
	if len(warned) > 0 {
		report["warnings"] = problemReports(warned)
	}
	return writeJSON(s.out, report)
}

// render makes the CRDs of all files before any is written, and returns the errors of all files at
// once.
func (o *crdOptions) render(s streams, files []string) ([]dataFile, spec.Problems, error) {
	var crds []dataFile
	specs, shared, problems, err := readSpecs(s, files)
	if err != nil {
		return nil, nil, err
	}
	var apis []*spec.API
	for _, f := range specs {
		api, found := crdgen.Parse(f.Name, f.Data, o.minKubernetes, shared...)
		problems = append(problems, found...)
		if api != nil {
			apis = append(apis, api)
		}
	}
	if apis, err = readGoTypes(s, apis); err != nil {
		var more spec.Problems
		if !errors.As(err, &more) {
			return nil, nil, err
		}
		return nil, nil, append(problems, more...).Err()
	}
	for _, api := range apis {
		crd, found := crdgen.CRD(api, o.minKubernetes)
		if len(found) > 0 {
			problems = append(problems, found...)
			continue
		}
		text, err := crdgen.MarshalCRDOf(api, crd)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", api.File, err)
		}
		crds = append(crds, dataFile{crd.Name + ".yaml", text})
	}
	if err := problems.Err(); err != nil {
		return nil, nil, err
	}
	return crds, warnings.Of(apis, -1), nil // the descriptions of this command are as long as they are
}

// readSpecs reads spec files of APIs. It also reads the named types that they can use: from the
// files of kind Types among the arguments, and from a types.yaml in the folder of each API.
func readSpecs(s streams, files []string) (apis []project.SpecFile, shared []*spec.NamedType, problems spec.Problems, err error) {
	var all []project.SpecFile
	for _, file := range slices.Concat(files, project.FindTypes(files)) {
		read, err := readSpecOrStdin(s, file)
		if err != nil {
			return nil, nil, nil, err
		}
		read.Name = file
		all = append(all, read)
	}
	_, apis, shared, problems = project.ParseTypes(all)
	if len(apis) == 0 && len(problems) == 0 {
		return nil, nil, nil, project.InputErrorf("%s has no API: name the file of an API that uses its types, too", all[0].Name)
	}
	return apis, shared, problems, nil
}

func readSpecOrStdin(s streams, file string) (project.SpecFile, error) {
	if file == "-" {
		return project.ReadFrom(spec.StandardInput, s.in)
	}
	return project.ReadFile(file, file)
}

// readGoTypes fills in the schemas of APIs that name Go types. It loads no Go code if none does.
func readGoTypes(s streams, apis []*spec.API) ([]*spec.API, error) {
	if !slices.ContainsFunc(apis, crdgen.NeedsGoSource) {
		return apis, nil
	}
	defer showProgress(s.err, "reading Go packages")()
	return project.ReadGoTypes(apis)
}
