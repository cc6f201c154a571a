package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/opgen-dev/opgen/internal/packaging"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

func newPackage(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "package",
		Short: "Package the operator for those who install it",
		Args:  needsSubcommand,
		RunE:  runNothing,
	}
	cmd.AddCommand(newPackageManifests(s), newPackageHelm(s), newPackageOLM(s))
	return cmd
}

// packageOptions are the flags of the commands that package an operator.
type packageOptions struct {
	write   writeOptions
	form    string // helm, manifests or olm
	release tree.LockedPackage
}

func (o *packageOptions) addFlags(cmd *cobra.Command) {
	o.write.addFlags(cmd)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.Flags().StringVar(&o.release.Image, "image", "", "the operator's image, with its tag or digest")
}

const packageArguments = `DIR is the kustomization to package, by default deploy/ of the project: an overlay of yours, for example.
The files are Generated, and opgen.lock lists them with the flags: opgen check says when they are out of date. Run the
command again for each release.

A package is made from the files of the project alone: a kustomization that names a URL or a repository is an error.`

func newPackageManifests(s streams) *cobra.Command {
	o := packageOptions{form: "manifests"}
	cmd := &cobra.Command{
		Use:   "manifests [DIR]",
		Short: "Write one manifest for kubectl apply: dist/install.yaml",
		Long: `Write dist/install.yaml, with everything that opgen deploy applies: for kubectl apply --server-side -f.

` + packageArguments,
		Example: "  opgen package manifests --image registry.example.com/echo-operator:v1.2.0",
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	o.addFlags(cmd)
	return cmd
}

func newPackageHelm(s streams) *cobra.Command {
	o := packageOptions{form: "helm"}
	cmd := &cobra.Command{
		Use:   "helm [DIR] --version VERSION --image IMAGE",
		Short: "Write a Helm chart: dist/chart",
		Long: `Write a Helm chart into dist/chart. With its default values it makes the objects that opgen deploy applies, but for the
namespace, which is that of the release. Components of deploy/components that are not turned on are values of the chart.

` + packageArguments,
		Example: "  opgen package helm --version 1.2.0 --image registry.example.com/echo-operator:v1.2.0\n  helm install echo dist/chart --namespace echo --create-namespace",
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	o.addFlags(cmd)
	o.addVersionFlag(cmd)
	return cmd
}

func newPackageOLM(s streams) *cobra.Command {
	o := packageOptions{form: "olm"}
	cmd := &cobra.Command{
		Use:   "olm [DIR] --version VERSION --image IMAGE",
		Short: "Write a bundle for the Operator Lifecycle Manager: dist/bundle",
		Long: `Write a bundle in the format registry+v1 into dist/bundle: a ClusterServiceVersion with the Deployment, the permissions
and the webhooks, the CRDs, and a Dockerfile of the bundle's image. Its install mode follows watch of opgen.yaml:
AllNamespaces for cluster; OwnNamespace, SingleNamespace and MultiNamespace for namespace. The samples are its examples.

` + packageArguments,
		Example: "  opgen package olm --version 1.2.0 --image registry.example.com/echo-operator:v1.2.0 --replaces echo-operator.v1.1.0",
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	o.addFlags(cmd)
	o.addVersionFlag(cmd)
	cmd.Flags().StringVar(&o.release.Channel, "channel", "stable", "the channel that the bundle is in")
	cmd.Flags().StringVar(&o.release.Replaces, "replaces", "", "the ClusterServiceVersion that this one is an update of, such as echo-operator.v1.1.0")
	return cmd
}

func (o *packageOptions) addVersionFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.release.Version, "version", "", "the version of the package, such as 1.2.0 (required)")
}

func (o *packageOptions) run(s streams, args []string) error {
	if err := o.write.checkFormat(); err != nil {
		return err
	}
	root, err := project.Find()
	if err != nil {
		return err
	}
	p, err := project.ReadProjectFile(root)
	if err != nil {
		return err
	}
	o.release.Version = strings.TrimPrefix(o.release.Version, "v")
	if err := o.check(p); err != nil {
		return err
	}
	if len(args) == 1 {
		if o.release.Dir, err = fromProject(root, args[0]); err != nil {
			return err
		}
	}
	held, err := lockFolder(s, root)
	if err != nil {
		return err
	}
	defer held.Release()
	done := showProgress(s.err, "rendering")
	changes, size, err := o.plan(root, p)
	done()
	if err != nil {
		return project.InputErrorf("%w", err)
	}
	if size.IsNear() {
		fmt.Fprintf(s.err, "warning: %v\n", size)
	}
	if o.write.force {
		changes = changes.Force()
	}
	if len(changes.Conflicts()) > 0 {
		return reportConflicts(s, o.write.output, changes)
	}
	if !o.write.dryRun {
		if err := applyChanges(changes, root); err != nil {
			return err
		}
	}
	return o.write.report(s, changes.Pending())
}

// plan returns what the command changes in the project in root, and how large the package is. A package that no cluster can
// hold is an error.
func (o *packageOptions) plan(root string, p *spec.Project) (*tree.Changes, packaging.Size, error) {
	operator, files, err := packageFiles(root, p, o.form, o.release)
	if err != nil {
		return nil, packaging.Size{}, err
	}
	size, err := packageSize(operator, files, o.form, o.release)
	if err == nil {
		err = size.Check()
	}
	if err != nil {
		return nil, size, err
	}
	changes, err := tree.DiffPackage(os.DirFS(root), o.form, o.release, files)
	return changes, size, err
}

// check returns all errors in the flags.
func (o *packageOptions) check(p *spec.Project) error {
	var errs []error
	needs := o.form != "manifests"
	switch {
	case needs && o.release.Version == "":
		errs = append(errs, errors.New("--version is missing: give the version of the package, such as 1.2.0"))
	case needs && semver.Canonical("v"+o.release.Version) != "v"+semverWithoutBuild(o.release.Version):
		errs = append(errs, fmt.Errorf("--version %q is not a semantic version\n    write three numbers, such as 1.2.0", o.release.Version))
	}
	switch {
	case o.release.Image != "":
		if err := checkImage(o.release.Image, p.Name); err != nil {
			errs = append(errs, err)
		}
	case needs:
		errs = append(errs, errors.New("--image is missing: give the operator's image, such as registry.example.com/"+p.Name+":v1.2.0"))
	}
	if o.form == "olm" {
		errs = append(errs, o.checkUpdates(p)...)
	}
	if len(errs) > 0 {
		return project.InputError{Err: errors.Join(errs...)}
	}
	return nil
}

// checkUpdates returns the errors in the flags about the updates of a bundle.
func (o *packageOptions) checkUpdates(p *spec.Project) (errs []error) {
	example := p.Name + ".v1.1.0"
	if len(validation.IsQualifiedName(o.release.Channel)) > 0 || strings.Contains(o.release.Channel, "/") {
		errs = append(errs, fmt.Errorf("--channel %q is not the name of a channel\n    write letters, digits, - and ., such as stable", o.release.Channel))
	}
	switch {
	case o.release.Replaces == "":
	case len(validation.IsDNS1123Subdomain(o.release.Replaces)) > 0 || !strings.HasPrefix(o.release.Replaces, p.Name+"."):
		errs = append(errs, fmt.Errorf("--replaces %q is not the name of a ClusterServiceVersion of this operator\n    write NAME.vVERSION, such as %s", o.release.Replaces, example))
	case o.release.Replaces == p.Name+".v"+o.release.Version:
		errs = append(errs, fmt.Errorf("--replaces %q is this bundle itself\n    name the version before, such as %s", o.release.Replaces, example))
	}
	return errs
}

func semverWithoutBuild(version string) string {
	version, _, _ = strings.Cut(version, "+")
	return version
}

// fromProject returns the path of a folder from that of the project.
func fromProject(root, dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, absolute)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "", project.InputErrorf("%s is not in the project", dir)
	}
	return filepath.ToSlash(rel), nil
}

// packageChanges returns what packaging changes in the project in root.
func packageChanges(root string, p *spec.Project, form string, release tree.LockedPackage) (*tree.Changes, error) {
	_, files, err := packageFiles(root, p, form, release)
	if err != nil {
		return nil, err
	}
	return tree.DiffPackage(os.DirFS(root), form, release, files)
}

// packageFiles returns the operator of the project in root and the files of its package.
func packageFiles(root string, p *spec.Project, form string, release tree.LockedPackage) (*packaging.Operator, []tree.File, error) {
	dir := release.Dir
	if dir == "" {
		dir = "deploy"
	}
	o, err := packaging.Read(root, filepath.Join(root, filepath.FromSlash(dir)), p, packaging.Release{Version: release.Version, Image: release.Image})
	if err != nil {
		return nil, nil, err
	}
	var files []tree.File
	switch form {
	case "manifests":
		files, err = packaging.Manifest(o)
	case "helm":
		if err = o.ReadParts(); err == nil {
			files, err = packaging.Chart(o)
		}
	default:
		files, err = packaging.Bundle(o, release.Channel, release.Replaces)
	}
	return o, files, err
}

// packageSize returns how much a package takes of what a cluster can hold. A manifest has no limit as a whole.
func packageSize(o *packaging.Operator, files []tree.File, form string, release tree.LockedPackage) (packaging.Size, error) {
	switch form {
	case "helm":
		return packaging.ChartSize(o, files)
	case "olm":
		return packaging.BundleSize(o, files, func(o *packaging.Operator) ([]tree.File, error) {
			return packaging.Bundle(o, release.Channel, release.Replaces)
		})
	}
	return packaging.Size{}, nil
}
