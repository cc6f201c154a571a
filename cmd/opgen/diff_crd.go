package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
)

// currentCluster is the argument of --crd that stands for the CRDs of a cluster.
const currentCluster = "cluster"

// crdDiff are the flags of opgen diff that compare CRDs.
type crdDiff struct {
	with    string
	verbose bool
}

func (o *crdDiff) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.with, "crd", "", "compare CRDs with those of a folder, a file, - or cluster")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "with --crd: name every difference, also where many have one cause")
}

// comparedCRDs is what is compared with the CRDs of a project.
type comparedCRDs struct {
	name    string // as the user names it
	server  string // the address of the API server, if it is a cluster
	crds    []crddiff.Other
	modules project.Modules // that the Go module around it requires, if it is another one
}

// run compares the CRDs of the project with others, and reports how they differ.
func (o *crdDiff) run(ctx context.Context, s streams, out outputFlag, cache cacheOptions) error {
	if o.with == "" {
		return project.InputErrorf("--crd: name a folder, a file, - or %s", currentCluster)
	}
	dir, err := project.Find()
	if err != nil {
		return err
	}
	other, err := o.read(ctx, s, dir)
	if err != nil {
		return err
	}
	made, err := o.makeCRDs(s, cache)
	if err != nil {
		return err
	}
	if other.server != "" {
		other.crds = ofGroups(other.crds, made)
	}
	report := crdReport{Report: crddiff.Compare(made, other.crds), other: other, verbose: o.verbose}
	report.modules, _ = project.ModulesAt(dir)
	print := report.printText
	if out.json() {
		print = report.printJSON
	}
	if err := print(s.out); err != nil {
		return err
	}
	if !report.Equal() {
		return errReported
	}
	return nil
}

// makeCRDs makes the CRDs of the project of the working directory.
func (o *crdDiff) makeCRDs(s streams, cache cacheOptions) ([]crddiff.Made, error) {
	p, err := cache.loadProject(s)
	if err != nil {
		return nil, err
	}
	defer p.release()
	source, err := readGo(s, p.Dir, p.Tree, p.Input())
	if err != nil {
		return nil, err
	}
	return scaffold.CRDs(source)
}

// read reads the CRDs to compare with. dir is the folder of the project.
func (o *crdDiff) read(ctx context.Context, s streams, dir string) (comparedCRDs, error) {
	if o.with == currentCluster {
		return readClusterCRDs(ctx, s)
	}
	crds, err := project.ReadCRDs(o.with, s.in)
	if err != nil || o.with == "-" {
		return comparedCRDs{name: "standard input", crds: crds}, err
	}
	other := comparedCRDs{name: o.with, crds: crds}
	modules, file := project.ModulesAt(filepath.Dir(crds[0].Source))
	if _, own := project.ModulesAt(dir); file != own {
		other.modules = modules
	}
	return other, nil
}

// readClusterCRDs reads the CRDs of a cluster.
func readClusterCRDs(ctx context.Context, s streams) (comparedCRDs, error) {
	c, err := new(clusterAccess).connect(ctx, s)
	if errors.Is(err, deployment.ErrNoCluster) {
		return comparedCRDs{}, project.InputErrorf("--crd %s: %w", currentCluster, err)
	}
	if err != nil {
		return comparedCRDs{}, err
	}
	defer showProgress(s.err, "reading the CRDs of the cluster")()
	crds, err := c.ReadCRDs(ctx)
	other := comparedCRDs{name: "the cluster at " + c.Server, server: c.Server}
	for i := range crds {
		other.crds = append(other.crds, crddiff.Other{CRD: &crds[i], Source: other.name, Served: true})
	}
	return other, err
}

// ofGroups returns the CRDs of the groups that a project has. Those of other groups in a cluster are
// none of its business.
func ofGroups(all []crddiff.Other, made []crddiff.Made) []crddiff.Other {
	return slices.DeleteFunc(all, func(o crddiff.Other) bool {
		return !slices.ContainsFunc(made, func(m crddiff.Made) bool { return m.CRD.Spec.Group == o.CRD.Spec.Group })
	})
}
