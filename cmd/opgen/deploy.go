package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/deployment"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

// deployOptions are the flags of opgen deploy.
type deployOptions struct {
	deploymentOptions
	remote remoteFlag
	image  string
	wait   time.Duration
	force  bool
}

func newDeploy(s streams) *cobra.Command {
	var o deployOptions
	cmd := &cobra.Command{
		Use:   "deploy [DIR]",
		Short: "Deploy the operator, and its CRDs, into a cluster",
		Long: `Render the kustomization in DIR, by default deploy/ of the project, and apply its objects to a cluster. It does
what kubectl apply --server-side -k does, with the same field manager, and needs no kubectl. Namespaces and CRDs come
first, and it waits until the API server serves the kinds of the CRDs. A namespace that exists gets the labels of the
manifest, too; the command warns of those for Pod Security. Any other object that exists and that neither opgen nor
kubectl apply put there is an error, unless --force-conflicts takes it over.

With --image, the containers with the project's own image get another one. With --wait, it waits until the Pods of all
Deployments are those that were applied, and are available; after that time it says what keeps them from it.

` + onlyLocal + `

` + whichCluster,
		Example: `  opgen deploy --image registry.example.com/echo-operator:v1 --wait 2m
  opgen deploy overlays/staging --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args) },
	}
	o.addFlags(cmd)
	o.remote.addFlag(cmd)
	addForceConflictsFlag(cmd, &o.force)
	cmd.Flags().StringVar(&o.image, "image", "", "the operator's image (default: as the kustomization says)")
	cmd.Flags().DurationVar(&o.wait, "wait", 0, "how long to wait for the Pods of Deployments (default: not at all)")
	return cmd
}

func (o *deployOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.output.checkFormat(); err != nil {
		return err
	}
	root, p, dir, err := deployedProject(args)
	if err != nil {
		return err
	}
	image := deployment.Image{}
	if o.image != "" {
		if err := checkImage(o.image, p.Name); err != nil {
			return project.InputError{Err: err}
		}
		image = deployment.Image{Name: p.Name, Reference: o.image}
	}
	objects, err := o.remote.render(dir, image)
	if err == nil {
		err = deployment.CheckRoles(root, dir, objects)
	}
	if err != nil {
		return project.InputErrorf("%w", err)
	}
	c, err := o.connect(ctx, s)
	if err != nil {
		return err
	}
	o.begin(s, c)
	changes, err := o.apply(ctx, s, c, objects, p.Name)
	if err := o.report(s, deploymentReport{Server: c.Server, Changes: changes}, err); err != nil || o.wait == 0 || o.dryRun {
		return err
	}
	defer showProgress(s.err, "waiting for the Pods")()
	return c.AwaitRollout(ctx, objects, o.wait)
}

// checkImage returns an error if the value of --image is not the name of an image.
func checkImage(image, operator string) error {
	if _, err := name.ParseReference(image); err != nil || strings.Contains(image, "://") {
		return fmt.Errorf("--image %q is not the name of an image\n    write REGISTRY/NAME:TAG in lower case, such as registry.example.com/%s:v1", image, operator)
	}
	return nil
}

func (o *deployOptions) apply(ctx context.Context, s streams, c *deployment.Cluster, objects []*deployment.Object, name string) ([]deployment.Change, error) {
	defer showProgress(s.err, "applying "+agree(len(objects), "object", "objects"))()
	return c.Apply(ctx, objects, deployment.ApplyOptions{DryRun: o.dryRun, ForceConflicts: o.force, Project: name})
}

// deployedProject returns the project of the working directory, and the folder of the kustomization
// that the arguments name, which is deploy/ of the project when they name none.
func deployedProject(args []string) (root string, p *spec.Project, dir string, err error) {
	root, err = project.Find()
	if err != nil {
		return "", nil, "", err
	}
	const settings = "opgen.yaml"
	file, err := project.ReadFile(settings, filepath.Join(root, settings))
	if err != nil {
		return "", nil, "", err
	}
	p, problems := spec.ParseProject(settings, file.Data)
	if len(problems) > 0 {
		return "", nil, "", problems
	}
	if len(args) == 1 {
		return root, p, args[0], nil
	}
	return root, p, filepath.Join(root, "deploy"), nil
}
