package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/opgen-dev/opgen/internal/image"
	"github.com/opgen-dev/opgen/internal/project"
)

// imageReport is what opgen image -o json prints. With --dry-run, there are no digests and sizes.
type imageReport struct {
	DryRun    bool             `json:"dryRun"`
	Image     string           `json:"image"` // with its tag
	Digest    string           `json:"digest,omitempty"`
	Base      string           `json:"base,omitempty"`
	Revision  string           `json:"revision,omitempty"`
	Unknown   string           `json:"revisionUnknown,omitempty"` // why git does not say the revision
	Platforms []platformReport `json:"platforms"`
	Archive   string           `json:"archive"`
	SBOM      string           `json:"sbom"`
	Pushed    bool             `json:"pushed"`
}

// platformReport is the part of an image that a node of one platform pulls.
type platformReport struct {
	Platform string `json:"platform"`
	Digest   string `json:"digest,omitempty"`
	Size     int64  `json:"size,omitempty"` // compressed, in bytes
}

// report says what was built, or would be if built is nil.
func (o *imageOptions) report(s streams, plan *image.Plan, built *image.Image) error {
	r := imageReport{
		DryRun: o.dryRun, Image: plan.Tag.String(), Revision: plan.Revision, Unknown: plan.RevisionUnknown, Pushed: o.push && !o.dryRun,
		Archive: project.ShortPath(plan.Archive), SBOM: project.ShortPath(plan.SBOMFile()),
	}
	if plan.Base != nil {
		r.Base = plan.Base.String()
	}
	for _, platform := range plan.Platforms {
		r.Platforms = append(r.Platforms, platformReport{Platform: platform})
	}
	if built != nil {
		r.Digest = built.Digest
		for i, one := range built.Platforms {
			r.Platforms[i] = platformReport{one.Platform, one.Digest, one.Size}
		}
	}
	if o.output.json() {
		return writeJSON(s.out, r)
	}
	if r.Unknown != "" {
		fmt.Fprintf(s.err, "the image has no label revision: %s\n    git status in the project says more\n", r.Unknown)
	}
	if o.dryRun {
		r.printPlan(s.err, o.push)
		return nil
	}
	for _, one := range r.Platforms {
		fmt.Fprintf(s.err, "%-13s %5.1f MB  %s\n", one.Platform, float64(one.Size)/1e6, one.Digest)
	}
	fmt.Fprintf(s.err, "create  %s\ncreate  %s\n", r.Archive, r.SBOM)
	if r.Pushed {
		fmt.Fprintf(s.err, "pushed  %s\n", r.Image)
	}
	fmt.Fprintf(s.err, "%s@%s\n", r.Image, r.Digest)
	return nil
}

// printPlan says what would be built.
func (r *imageReport) printPlan(w io.Writer, push bool) {
	var platforms []string
	for _, one := range r.Platforms {
		platforms = append(platforms, one.Platform)
	}
	fmt.Fprintf(w, "would build %s for %s\n", r.Image, strings.Join(platforms, ", "))
	if r.Base != "" {
		fmt.Fprintf(w, "would put it above %s\n", r.Base)
	}
	if push {
		fmt.Fprintf(w, "would push %s\n", r.Image)
	}
	fmt.Fprintf(w, "create  %s\ncreate  %s\ndry run: nothing was written\n", r.Archive, r.SBOM)
}

// phaseDisplay shows what a long command is doing, on a terminal.
type phaseDisplay struct {
	out  io.Writer
	done func()
}

// show replaces what is shown.
func (d *phaseDisplay) show(phase string) {
	d.finish()
	d.done = showProgress(d.out, phase)
}

// finish clears what is shown.
func (d *phaseDisplay) finish() {
	if d.done != nil {
		d.done()
		d.done = nil
	}
}
