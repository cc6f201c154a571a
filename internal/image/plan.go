package image

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/opgen-dev/opgen/internal/tree"
)

// epoch is the time of all files and images, unless a build has another one.
var epoch = time.Unix(0, 0).UTC()

// Request is what an image is built from, and where to.
type Request struct {
	Dir     string // of the project
	GoWork  string // the value of GOWORK for the go command; empty: that of the environment
	Package string // the operator's main, as the go command names it
	Module  string // the path of the project's Go module
	Title   string // the name of the operator
	Tag     name.Tag
	// Platforms are such as linux/arm64.
	Platforms []string
	Base      *Base     // nil: the default base
	Created   time.Time // zero: a fixed time
	Archive   string    // the file to write the image to
	Tool      string    // the name and version of the program that builds
	Progress  func(phase string)
}

// Plan is a Request that has been checked.
type Plan struct {
	Request
	Revision        string // of the project's repository; empty if it is not known
	RevisionUnknown string // what git says if it does not answer
	platform        []v1.Platform
	command         goCommand
	checkTime       time.Duration // how long CheckPush waits for the registry
}

// workFolder is the folder in a project that Build makes, empties and removes.
const workFolder = "bin/.image"

// WorkDir returns the folder that Build makes, and removes.
func (r Request) WorkDir() string { return filepath.Join(r.Dir, filepath.FromSlash(workFolder)) }

// NewPlan returns an error unless the package of a request is a program, and what Build empties is a folder of the project.
func NewPlan(ctx context.Context, r Request) (*Plan, error) {
	if err := tree.CheckFolder(os.DirFS(r.Dir), workFolder); err != nil {
		return nil, err
	}
	p := &Plan{Request: r, command: goCommand{r.Dir, r.GoWork}, checkTime: checkTime}
	for _, platform := range r.Platforms {
		p.platform = append(p.platform, parsePlatform(platform))
	}
	if p.Created.IsZero() {
		p.Created = epoch
	}
	if err := p.command.checkMain(ctx, r.Package, p.platform[0]); err != nil {
		return nil, err
	}
	p.Revision, p.RevisionUnknown = revisionOf(ctx, r.Dir)
	return p, nil
}

// SBOMFile returns the file with the software bill of materials, which lies beside the archive.
func (r Request) SBOMFile() string {
	extension := filepath.Ext(r.Archive)
	return r.Archive[:len(r.Archive)-len(extension)] + ".spdx.json"
}
