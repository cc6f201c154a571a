package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/image"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

// imageOptions are the flags of opgen image.
type imageOptions struct {
	output             outputFlag
	tag, base, archive string
	platforms          []string
	push, dryRun       bool
}

func newImage(s streams) *cobra.Command {
	var o imageOptions
	cmd := &cobra.Command{
		Use:   "image [PACKAGE] --tag REF",
		Short: "Build the operator's container image, without Docker",
		Long: `Builds the container image of the project's operator with the go command, for each platform, and writes it to
bin/image.tar, an OCI image layout that docker load, ctr images import and skopeo read. The software bill of materials
(SPDX) is in the archive and in bin/image.spdx.json. --push pushes both, with the credentials of docker login; registries
on loopback may answer in plain HTTP.

PACKAGE is the operator's main, as the go command names it in the folder of the project; by default that folder.

The executable lies above a few files that opgen has: certificate authorities, a user and /tmp. The keys under image in
opgen.yaml name an image to use instead, and the platforms; the flags take precedence. The same sources, Go and opgen give
the same digest on every machine. SOURCE_DATE_EPOCH is the time that the image says it was made at; otherwise it is 1970.`,
		Example: `  opgen image --tag registry.example.com/echo-operator:v1
  opgen image --tag registry.example.com/echo-operator:v1 --push -o json
  opgen image --tag echo-operator:dev --platform linux/arm64`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, append(args, ".")[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.tag, "tag", "", "the name of the image, with its tag (required)")
	flags.StringSliceVar(&o.platforms, "platform", nil, "the platforms to build for (default: those of opgen.yaml, or linux/amd64,linux/arm64)")
	flags.StringVar(&o.base, "base", "", "an image with its digest to put the operator above (default: that of opgen.yaml, or files that opgen has)")
	flags.StringVar(&o.archive, "archive", "", "the file to write (default: bin/image.tar in the project)")
	flags.BoolVar(&o.push, "push", false, "push the image to its registry, too")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be built, and write and push nothing")
	o.output.addFlag(cmd)
	return cmd
}

// run builds the image of the project of the working directory.
func (o *imageOptions) run(ctx context.Context, s streams, pkg string) error {
	if err := o.output.checkFormat(); err != nil {
		return err
	}
	dir, err := project.Find()
	if err != nil {
		return err
	}
	request, err := o.request(ctx, dir, pkg)
	if err != nil {
		return err
	}
	phase := phaseDisplay{out: s.err}
	defer phase.finish()
	request.Progress = phase.show
	plan, err := image.NewPlan(ctx, request)
	if err != nil {
		return project.InputError{Err: err}
	}
	if o.dryRun {
		return o.report(s, plan, nil)
	}
	if o.push {
		if err := plan.CheckPush(ctx); err != nil {
			return err
		}
	}
	held, err := lockFolder(s, request.WorkDir()) // not the project's, which a long build would keep from others
	if err != nil {
		return err
	}
	defer held.Release()
	built, err := plan.Build(ctx)
	if err != nil {
		return err
	}
	defer plan.Close()
	if o.push {
		if err := built.Push(ctx); err != nil {
			return err
		}
	}
	phase.finish()
	return o.report(s, plan, built)
}

// request returns what to build. It returns all errors in the flags as one error.
func (o *imageOptions) request(ctx context.Context, dir, pkg string) (image.Request, error) {
	p, err := project.ReadProjectFile(dir)
	if err != nil {
		return image.Request{}, err
	}
	workspace, err := project.Workspace(project.ModuleOf(dir, p.Module).Dir)
	if err != nil {
		return image.Request{}, err
	}
	r := image.Request{
		Dir: dir, GoWork: workspace, Package: pkg, Module: p.Module, Title: p.Name,
		Tool: "opgen-" + readVersion().Version,
	}
	var errs [5]error
	r.Tag, errs[0] = image.ParseTag(o.tag)
	r.Platforms, errs[1] = o.chosenPlatforms(p)
	r.Base, errs[2] = o.chosenBase(ctx, p)
	r.Created, errs[3] = sourceDate()
	r.Archive, errs[4] = o.archiveFile(dir)
	if err := errors.Join(errs[:]...); err != nil {
		return image.Request{}, project.InputError{Err: err}
	}
	return r, nil
}

// chosenPlatforms returns the platforms of --platform, else of opgen.yaml, else the default ones.
func (o *imageOptions) chosenPlatforms(p *spec.Project) ([]string, error) {
	var chosen []string
	accepted := completePlatforms(nil)
	for _, platform := range o.platforms {
		if !slices.Contains(accepted, platform) {
			return nil, fmt.Errorf("--platform %q is not accepted\n    accepted: %s", platform, strings.Join(accepted, ", "))
		}
		if !slices.Contains(chosen, platform) {
			chosen = append(chosen, platform)
		}
	}
	if len(chosen) > 0 {
		return chosen, nil
	}
	platforms := p.Image.Platforms
	if len(platforms) == 0 {
		platforms = spec.DefaultPlatforms()
	}
	for _, platform := range platforms {
		chosen = append(chosen, string(platform))
	}
	return chosen, nil
}

// chosenBase returns the base of --base, else of opgen.yaml. For a name without a digest, the error has
// the digest, if the registry says it.
func (o *imageOptions) chosenBase(ctx context.Context, p *spec.Project) (*image.Base, error) {
	text, from := p.Image.Base, project.FileName+": image.base "
	if o.base != "" {
		text, from = o.base, "--base "
	}
	if text == "" {
		return nil, nil
	}
	base, err := image.ParseBase(text)
	if err == nil {
		return &base, nil
	}
	if !strings.Contains(text, "@") {
		if now, lookUp := image.DigestOf(ctx, text); lookUp == nil {
			return nil, fmt.Errorf("%s%q has no digest, and may be another image tomorrow\n    write the image that it is now: %s", from, text, now)
		}
	}
	return nil, fmt.Errorf("%s%w", from, err)
}

// archiveFile returns the file that the image is written to.
func (o *imageOptions) archiveFile(dir string) (string, error) {
	if o.archive == "" {
		return filepath.Join(dir, "bin", "image.tar"), nil
	}
	if info, err := os.Stat(o.archive); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("--archive %s is not a regular file: name one", o.archive)
	}
	return filepath.Abs(o.archive)
}

// sourceDate returns the time of SOURCE_DATE_EPOCH, and zero if it is not set.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds >= 1<<33 { // what a tar header can hold
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q is not a time: write the seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
