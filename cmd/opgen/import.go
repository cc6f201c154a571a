package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// importOptions are the flags of opgen import.
type importOptions struct{ write dirOptions }

func newImport(s streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE... [--dir DIR]",
		Short: "Turn CustomResourceDefinitions into spec files",
		Long: `Turn CustomResourceDefinitions into spec files, from which opgen makes the same CustomResourceDefinitions again.
A file may hold several documents and lists; those of other kinds are left out, and so are labels and annotations that
tools of a cluster wrote, such as kubectl, Helm and Argo CD: they are named. The specs go to standard output, or with --dir
to files there, named <plural>.<group>.yaml: spec files that are there already and say something else stay as they
are, and nothing is written. - is standard input.

With -o json and without --dir, standard output is one JSON document with the list specs: the name of each
CustomResourceDefinition, the text of its spec file, and what was left out of it.`,
		Example: "  opgen import crontabs.yaml --dir api\n  kubectl get crd crontabs.example.com -o yaml | opgen import -",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a file of CustomResourceDefinitions, or - for standard input")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	o.write.addFlags(cmd, "write a spec file for each CustomResourceDefinition into this folder")
	return cmd
}

func (o *importOptions) run(s streams, files []string) error {
	if err := o.write.output.checkFormat(); err != nil {
		return err
	}
	specs, err := importAll(s, files)
	if err != nil {
		return err
	}
	if o.write.dir != "" {
		return o.writeSpecs(s, specs)
	}
	if o.write.output.json() {
		return reportSpecs(s, specs)
	}
	o.printNotes(s, specs)
	for i, imported := range specs {
		if i > 0 {
			fmt.Fprintln(s.out, "---")
		}
		if _, err := s.out.Write(imported.Text); err != nil {
			return err
		}
	}
	return nil
}

// printNotes names what tools of a cluster wrote into the CRDs, and the spec files do not have, and warns of what looks like
// actions of a template.
func (o *importOptions) printNotes(s streams, specs []importer.Spec) {
	for _, imported := range specs {
		for _, warning := range imported.Warnings {
			fmt.Fprintf(s.err, "warning: %v\n", warning)
		}
		if len(imported.LeftOut) > 0 && !o.write.quiet {
			fmt.Fprintf(s.err, "note: left out of %s, since tools of a cluster wrote it: %s\n", imported.Name, strings.Join(imported.LeftOut, ", "))
		}
	}
}

// specReport is one spec file in the output of -o json.
type specReport struct {
	Name    string   `json:"name"` // of the CustomResourceDefinition
	Text    string   `json:"text"`
	LeftOut []string `json:"leftOut,omitempty"`
}

func reportSpecs(s streams, specs []importer.Spec) error {
	reports := make([]specReport, len(specs))
	for i, imported := range specs {
		reports[i] = specReport{imported.Name, string(imported.Text), imported.LeftOut}
	}
	return writeJSON(s.out, map[string]any{"specs": reports})
}

// importAll converts every file before any is written, and returns all errors at once. It checks
// that opgen makes a CRD that the API server accepts from each spec file.
func importAll(s streams, files []string) ([]importer.Spec, error) {
	var (
		all      []importer.Spec
		problems spec.Problems
	)
	for _, file := range files {
		read, err := readSpecOrStdin(s, file)
		if err != nil {
			return nil, err
		}
		specs, found := importer.Import(file, read.Data)
		problems = append(problems, found...)
		for _, imported := range specs {
			_, found := crdgen.CRD(imported.API, spec.DefaultMinKubernetes)
			for _, p := range found { // their positions are in the imported text, which the user has not seen
				p.Pos = spec.Pos{File: file}
				p.Path = imported.Name + ": " + p.Path
				problems = append(problems, p)
			}
		}
		all = append(all, specs...)
	}
	return all, problems.Err()
}

// writeSpecs writes spec files into the folder. If one would replace another spec file, it writes
// none.
func (o *importOptions) writeSpecs(s streams, specs []importer.Spec) error {
	files := make([]dataFile, len(specs))
	for i, imported := range specs {
		files[i] = dataFile{imported.Name + ".yaml", imported.Text}
	}
	release, err := o.write.lockDir(s)
	if err != nil {
		return err
	}
	defer release()
	changes, err := o.write.diffFiles(files)
	if err != nil {
		return err
	}
	for _, c := range changes.Pending() {
		if c.Action == tree.Update {
			return project.InputErrorf("%s: is there already and says something else: move it away, or import into another folder",
				filepath.Join(o.write.dir, c.Path))
		}
	}
	if err := o.write.apply(s, changes, nil); err != nil {
		return err
	}
	if !o.write.output.json() {
		o.printNotes(s, specs)
	}
	return nil
}
