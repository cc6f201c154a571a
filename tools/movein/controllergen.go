package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// generate has controller-gen make the CRDs of all packages of the project in a folder, with the options of the project's
// Makefile. Types in Go modules of their own below the folder api count, too.
func (p *project) generate(into string) error {
	settings := p.settings()
	yes := true
	generator := crd.Generator{IgnoreUnexportedFields: &settings.IgnoreUnexportedFields, AllowDangerousTypes: &yes}
	if settings.EmbeddedMetadata == spec.AllMetadata {
		generator.GenerateEmbeddedObjectMeta = &yes
	}
	if length, err := strconv.Atoi(settings.MaxDescLen); err == nil {
		generator.MaxDescLen = &length
	}
	dirs := []string{p.dir}
	if _, err := os.Stat(filepath.Join(p.dir, "api", "go.mod")); err == nil {
		dirs = append(dirs, filepath.Join(p.dir, "api"))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, dir := range dirs {
		if err := p.generateModule(generator, dir, into); err != nil {
			return err
		}
	}
	return nil
}

// generateModule does so for a Go module.
func (p *project) generateModule(generator crd.Generator, dir, into string) error {
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: dir, Env: p.environ()}, "./...")
	if err != nil {
		return err
	}
	registry := &markers.Registry{}
	if err := generator.RegisterMarkers(registry); err != nil {
		return err
	}
	var general genall.Generator = generator
	var said bytes.Buffer
	run := genall.Runtime{
		Generators: genall.Generators{&general},
		GenerationContext: genall.GenerationContext{
			Collector: &markers.Collector{Registry: registry}, Roots: roots, Checker: &loader.TypeChecker{NodeFilters: []loader.NodeFilter{generator.CheckFilter()}},
			InputRule: genall.InputFromFileSystem,
		},
		OutputRules: genall.OutputRules{Default: genall.OutputToDirectory(into)},
		ErrorWriter: &said,
	}
	if run.Run() {
		return errors.New(said.String())
	}
	return nil
}
