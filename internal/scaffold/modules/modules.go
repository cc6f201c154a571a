package modules

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/opgen-dev/opgen"
)

// Opgen is the path of opgen's module.
const Opgen = "github.com/opgen-dev/opgen"

// unreleased is the version of an opgen that module files replace with a checkout.
const unreleased = "v0.0.0"

//go:embed project.mod
var projectMod []byte

//go:embed project.sum
var projectSum []byte

// Release is the opgen that module files require.
type Release struct {
	Version  string // such as v0.1.0
	Sum      string // of the module, such as h1:…=; empty if it is not known
	Checkout string // the folder that replaces the module; Version and Sum have no effect then
	// Imported are modules that the project's code imports in addition to those of every project.
	Imported []string
	// Requires are modules that tools.mod requires in addition to those of opgen.
	Requires []Requirement
}

// Requirement is a module with its checksums.
type Requirement struct {
	Path, Version string
	Sum, GoModSum string // such as h1:…=
}

// GoMod returns go.mod of a project.
func (r Release) GoMod(path string) ([]byte, error) {
	file, err := modfile.Parse("project.mod", projectMod, nil)
	if err != nil {
		return nil, err
	}
	if err := file.AddModuleStmt(path); err != nil {
		return nil, err
	}
	for _, require := range file.Require {
		require.Indirect = require.Indirect && !slices.Contains(r.Imported, require.Mod.Path)
	}
	return r.formatModFile(file)
}

// GoSum returns go.sum of a project.
func (r Release) GoSum() ([]byte, error) {
	return r.goSums(projectSum)
}

// ToolsMod returns tools.mod of a project: opgen and everything that it requires.
func (r Release) ToolsMod(path string) ([]byte, error) {
	file, err := modfile.Parse("go.mod", opgen.GoMod, nil)
	if err != nil {
		return nil, err
	}
	if err := file.AddModuleStmt(path); err != nil {
		return nil, err
	}
	for _, require := range file.Require {
		require.Indirect = true
	}
	for _, r := range r.Requires {
		file.AddNewRequire(r.Path, r.Version, true)
	}
	file.SetRequireSeparateIndirect(file.Require)
	if err := file.AddTool(Opgen + "/cmd/opgen"); err != nil {
		return nil, err
	}
	return r.formatModFile(file)
}

// ToolsSum returns tools.sum of a project.
func (r Release) ToolsSum() ([]byte, error) {
	sums := bytes.Clone(opgen.GoSum)
	for _, required := range r.Requires {
		sums = append(sums, required.sumLines()...)
	}
	return r.goSums(sums)
}

// formatModFile requires opgen and formats the file.
func (r Release) formatModFile(file *modfile.File) ([]byte, error) {
	version := r.Version
	if r.Checkout != "" {
		version = unreleased
		if err := file.AddReplace(Opgen, "", r.Checkout, ""); err != nil {
			return nil, err
		}
	}
	require := &modfile.Require{Mod: module.Version{Path: Opgen, Version: version}}
	file.SetRequireSeparateIndirect(append(file.Require, require))
	file.Cleanup()
	return file.Format()
}

// sumLines returns the lines for a module in a checksum file.
func (r Requirement) sumLines() string {
	return fmt.Sprintf("%[1]s %[2]s %[3]s\n%[1]s %[2]s/go.mod %[4]s\n", r.Path, r.Version, r.Sum, r.GoModSum)
}

// goSums adds the checksums of opgen, if they are known.
func (r Release) goSums(base []byte) ([]byte, error) {
	if r.Checkout != "" || r.Sum == "" {
		return base, nil
	}
	goMod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(opgen.GoMod)), nil
	})
	if err != nil {
		return nil, err
	}
	own := Requirement{Opgen, r.Version, r.Sum, goMod}
	return append(bytes.Clone(base), own.sumLines()...), nil
}

// GoVersion returns the version of Go that projects pin, such as 1.26.0.
func GoVersion() (string, error) {
	file, err := modfile.Parse("project.mod", projectMod, nil)
	if err != nil {
		return "", err
	}
	return file.Go.Version, nil
}

// Require returns a module file that exists with a requirement of this opgen. What it required and replaced of opgen
// before is dropped, and pins below the versions of this opgen's runtime are raised to them.
func (r Release) Require(modFile []byte) ([]byte, error) {
	file, err := modfile.Parse("go.mod", modFile, nil)
	if err != nil {
		return nil, err
	}
	for _, replace := range file.Replace {
		if replace.Old.Path == Opgen {
			err = errors.Join(err, file.DropReplace(Opgen, replace.Old.Version))
		}
	}
	if err := errors.Join(err, raisePins(file)); err != nil {
		return nil, err
	}
	version := r.Version
	if r.Checkout != "" {
		version = unreleased
		if err := file.AddReplace(Opgen, "", r.Checkout, ""); err != nil {
			return nil, err
		}
	}
	if err := file.AddRequire(Opgen, version); err != nil {
		return nil, err
	}
	file.Cleanup()
	file.SortBlocks()
	return file.Format()
}
