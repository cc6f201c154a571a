package project

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/kubebuilder"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Kubebuilder is a project of kubebuilder that opgen takes over.
type Kubebuilder struct {
	View  templates.ProjectView // of opgen.yaml, as PROJECT, go.mod and Makefile have it
	Setup kubebuilder.Setup
	Notes spec.Problems // about settings that opgen does not take over
	// IsTakenOver means that the project has an opgen.yaml already.
	IsTakenOver bool

	dir    string
	module Module
	specs  []SpecFile
}

// IsKubebuilder reports whether a folder has a project of kubebuilder that opgen has not taken over.
func IsKubebuilder(dir string) bool {
	files := os.DirFS(dir)
	_, err := fs.Stat(files, kubebuilder.FileName)
	_, taken := fs.Stat(files, FileName)
	return err == nil && errors.Is(taken, fs.ErrNotExist)
}

// ReadKubebuilder reads the project of kubebuilder in a folder.
func ReadKubebuilder(dir string) (Kubebuilder, error) {
	files := os.DirFS(dir)
	data, err := fs.ReadFile(files, kubebuilder.FileName)
	if errors.Is(err, fs.ErrNotExist) {
		return Kubebuilder{}, InputErrorf("%s has no %s: --from-kubebuilder takes over a project of kubebuilder, or of operator-sdk in Go", ShortPath(dir), kubebuilder.FileName)
	}
	if err != nil {
		return Kubebuilder{}, fileError(kubebuilder.FileName, err)
	}
	p, problems := kubebuilder.ParseProject(data)
	if len(problems) > 0 {
		return Kubebuilder{}, problems.Err()
	}
	k := Kubebuilder{IsTakenOver: !IsKubebuilder(dir), dir: dir, module: moduleAt(dir)}
	makefile, makefileErr := fs.ReadFile(files, "Makefile")
	settings := kubebuilder.ReadSettings(makefile)
	if err := k.readSpecs(files, p, settings); err != nil {
		return Kubebuilder{}, err
	}
	k.View.Name, k.View.Module = p.Name, k.module.Project
	k.View.MaxDescLen, k.View.IgnoreUnexportedFields = settings.MaxDescLen, settings.IgnoreUnexportedFields
	k.chooseHeader(files, settings.HeaderFile)
	if makefileErr == nil {
		k.View.TargetPrefix = "opgen-"
	}
	k.Setup, err = kubebuilder.ReadSetup(files)
	return k, err
}

// readSpecs makes the spec files. It returns an error, with all problems, if the project cannot be taken
// over. A project that is taken over has its own.
func (k *Kubebuilder) readSpecs(files fs.FS, p *kubebuilder.Project, settings kubebuilder.Settings) error {
	var problems spec.Problems
	if k.module.Path == "" {
		problems = append(problems, spec.Problem{
			Pos: spec.Pos{File: "go.mod"}, Message: "there is none here, nor in a folder above", Hint: "make one with: go mod init " + p.Repo,
		})
	}
	if !k.IsTakenOver {
		apis, found := kubebuilder.ReadAPIs(p, settings, files)
		problems = slices.Concat(problems, found, kubebuilder.CheckRoot(files))
		for _, s := range apis.Files {
			k.specs = append(k.specs, SpecFile{s.Name, s.Content})
		}
		k.View.Domain, k.View.Multigroup, k.Notes = apis.Domain, apis.Multigroup, apis.Left
	}
	return problems.Err()
}

// chooseHeader takes over the header of generated Go files, unless controller-gen fills in the year.
func (k *Kubebuilder) chooseHeader(files fs.FS, name string) {
	header, err := fs.ReadFile(files, name)
	switch {
	case name == "" || err != nil:
	case bytes.Contains(header, []byte(" YEAR")):
		k.Notes = append(k.Notes, spec.Problem{
			Pos: spec.Pos{File: name}, Message: "is not taken over, since opgen fills in no YEAR",
			Hint: "name a year in it, and write headerFile: " + name + " into " + FileName,
		})
	default:
		k.View.HeaderFile = name
	}
}

// Input returns what the project is generated from, given opgen.yaml: its kinds are added to that.
func (k Kubebuilder) Input(parsed *spec.Project, projectFile []byte, version string) (Addition, error) {
	tool, err := ToolFor(k.module.Dir, version)
	if err != nil {
		return Addition{}, err
	}
	p := &Project{Dir: k.dir, Tree: os.DirFS(k.dir), Spec: parsed, module: k.module, Tool: tool}
	added, err := p.AddAPIs(k.specs)
	if err != nil {
		return Addition{}, err
	}
	main, err := templates.MainFile(templates.Project{Name: parsed.Name, HasSetup: true})
	if err != nil {
		return Addition{}, err
	}
	for _, file := range []tree.File{
		{Path: "main.go", Content: main}, {Path: kubebuilder.SetupFile, Content: k.Setup.Content}, {Path: FileName, Content: projectFile},
	} {
		file.Owner = tree.Once
		added.Input.Extra = append(added.Input.Extra, file)
	}
	return added, nil
}

// Remaining is what is left to the author of a project that opgen has taken over.
type Remaining struct {
	Include     bool                     `json:"include"` // the Makefile does not include zz_generated.mk
	Lines       []kubebuilder.LineChange `json:"lines"`
	Superfluous []kubebuilder.FileNote   `json:"superfluous"`
	Unmade      []kubebuilder.FileNote   `json:"notMade"`
	Next        string                   `json:"next"`
}

// Left returns warnings about what is not taken over. Once the project has files of opgen, its author
// may have changed them, and there are none.
func (k Kubebuilder) Left() spec.Problems {
	if k.IsTakenOver {
		return nil
	}
	return append(k.Setup.Left, k.Notes...)
}

// Remaining returns what is left to the author, in the files as they are now, given what opgen makes of the project.
func (k Kubebuilder) Remaining(changes *tree.Changes) Remaining {
	made := kubebuilder.Made{}
	for _, c := range changes.List() {
		if strings.HasPrefix(c.Path, "deploy/zz_generated.") {
			made[c.Path] = c.New
		}
	}
	files := os.DirFS(k.dir)
	next := "go build ./... && opgen check"
	if _, err := fs.Stat(files, "config/crd/bases"); err == nil {
		next = "opgen diff --crd config/crd/bases"
	}
	if _, err := os.Stat(filepath.Join(k.module.Dir, "vendor", "modules.txt")); err == nil {
		next = "go mod vendor && " + next
	}
	if here := ShortPath(k.dir); here != "." {
		next = "cd " + here + " && " + next
	}
	return Remaining{
		Include: k.View.TargetPrefix != "" && !kubebuilder.HasInclude(files),
		Lines:   kubebuilder.MainLines(files, k.Setup.From), Superfluous: kubebuilder.Superfluous(files, made, k.Setup.From),
		Unmade: kubebuilder.Unmade(files, made), Next: next,
	}
}
