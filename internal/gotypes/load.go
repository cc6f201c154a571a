package gotypes

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Source is where Go packages are read: a folder in which some files may have other content than on
// disk.
type Source struct {
	Dir   string            // absolute; its go.mod decides which packages exist
	Files map[string][]byte // content of files by slash-separated path from Dir
	// ModFile takes the place of go.mod; empty: go.mod itself.
	ModFile string
	// IgnoreUnexportedFields ignores unexported fields with a JSON tag, which are errors otherwise.
	IgnoreUnexportedFields bool
	// Loaded receives the folders of the loaded packages. Nil discards them.
	Loaded Folders
}

// program is loaded Go packages, with what controller-tools makes of them.
type program struct {
	source    Source
	positions positions
	roots     rootSet
	unread    map[string]*trouble // why a root could not be read
	registry  *markers.Registry
	parser    *crd.Parser
	fitted    map[crd.TypeIdent]bool // types whose schema fitSchemas has changed
}

// loadPackages loads the packages with these import paths and everything that they import. It
// type-checks the imports only as far as one of the filters follows them. A package that cannot be
// read has errors; the returned error is one of the go command itself.
func loadPackages(source Source, importPaths []string, follow ...loader.NodeFilter) (*program, error) {
	if source.modulePath() == "" {
		return nil, fmt.Errorf("reading Go packages: there is no go.mod in %s or above", source.Dir)
	}
	overlay := map[string][]byte{}
	for file, content := range source.Files {
		overlay[filepath.Join(source.Dir, filepath.FromSlash(file))] = content
	}
	p := &program{source: source, positions: positions{source.Dir, token.NewFileSet()}, roots: rootSet{}, unread: map[string]*trouble{}, fitted: map[crd.TypeIdent]bool{}}
	// Generated methods are hidden, as they are from controller-gen: only what is written by hand
	// matters.
	cfg := &packages.Config{Dir: source.Dir, Overlay: overlay, Fset: p.positions.fset}
	if source.ModFile != "" {
		cfg.BuildFlags = []string{"-modfile=" + source.ModFile, "-mod=mod"} // a vendor/ is of go.mod
	}
	roots, err := loader.LoadRootsWithConfig(cfg, importPaths...)
	if err != nil {
		return nil, loadError(err)
	}
	seen := map[*packages.Package]bool{}
	for _, root := range roots {
		source.Loaded.add(root.Package, seen)
		p.roots[root.PkgPath] = root
		p.parseOverlay(root, overlay)
		root.NeedSyntax()
	}
	for _, path := range importPaths {
		p.unread[path] = p.troubleWith(path) // before any type adds more errors
	}
	p.registry = &markers.Registry{}
	for _, register := range []func(*markers.Registry) error{crdmarkers.Register, deepcopy.Generator{}.RegisterMarkers} {
		if err := register(p.registry); err != nil {
			return nil, err
		}
	}
	p.parser = &crd.Parser{
		Collector:           &markers.Collector{Registry: p.registry},
		Checker:             &loader.TypeChecker{NodeFilters: follow},
		AllowDangerousTypes: true, // the spec language allows floats
		// Without it the API server would drop the metadata of embedded objects, including the
		// labels.
		GenerateEmbeddedObjectMeta: true,
		IgnoreUnexportedFields:     source.IgnoreUnexportedFields,
	}
	crd.AddKnownTypes(p.parser)
	p.keepAliases()
	return p, nil
}

// loadError returns an error with the output of the go command.
func loadError(err error) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("reading Go packages: the go command is not in PATH")
	}
	if _, stderr, found := strings.Cut(err.Error(), "stderr: "); found && strings.TrimSpace(stderr) != "" {
		return fmt.Errorf("reading Go packages: %s", strings.TrimSpace(stderr))
	}
	return fmt.Errorf("reading Go packages: %w", err)
}

// parseOverlay parses a package with files in memory, which controller-tools would look for on
// disk.
func (p *program) parseOverlay(pkg *loader.Package, overlay map[string][]byte) {
	if !slices.ContainsFunc(pkg.CompiledGoFiles, func(file string) bool { return overlay[file] != nil }) {
		return
	}
	var syntax []*ast.File
	for _, file := range pkg.CompiledGoFiles {
		var content any // nil: the content on disk
		if text, found := overlay[file]; found {
			content = text
		}
		parsed, err := parser.ParseFile(p.positions.fset, file, content, parser.AllErrors|parser.ParseComments)
		if err != nil {
			pkg.AddError(err)
			continue
		}
		syntax = append(syntax, parsed)
	}
	pkg.Syntax = syntax
}

// inModule reports whether the files of a package are in the folder of the Source.
func (p *program) inModule(pkg *loader.Package) bool {
	return len(pkg.GoFiles) > 0 && strings.HasPrefix(pkg.GoFiles[0], p.source.Dir+string(filepath.Separator))
}

// isEmbeddedField is a filter that follows types which structs embed without a tag. They decide how
// the struct is copied.
func isEmbeddedField(node ast.Node) bool {
	field, ok := node.(*ast.Field)
	return ok && len(field.Names) == 0
}
