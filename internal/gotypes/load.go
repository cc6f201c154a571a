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

// Source is where Go packages are read: in a folder, with the content of some files in the place of
// what is there.
type Source struct {
	Dir   string            // absolute; its go.mod decides which packages there are
	Files map[string][]byte // by slash-separated path from Dir
	// IgnoreUnexportedFields has fields that are not exported be passed over though they have a
	// JSON tag.
	IgnoreUnexportedFields bool
	// Loaded gets the folders of the packages that are loaded; nil: nobody asks for them.
	Loaded Folders
}

// program is Go packages, loaded, and what controller-tools makes of them.
type program struct {
	source    Source
	positions positions
	roots     rootSet
	unread    map[string]*trouble // what keeps a root from being read
	registry  *markers.Registry
	parser    *crd.Parser
}

// loadPackages reads the packages with these import paths and all that they import, as far as parts
// of them that one of the filters lets pass need it. A package that cannot be read has errors; the
// error is about the go command itself.
func loadPackages(source Source, importPaths []string, follow ...loader.NodeFilter) (*program, error) {
	if source.module() == "" {
		return nil, fmt.Errorf("reading Go packages: there is no go.mod in %s or above", source.Dir)
	}
	overlay := map[string][]byte{}
	for file, content := range source.Files {
		overlay[filepath.Join(source.Dir, filepath.FromSlash(file))] = content
	}
	p := &program{source: source, positions: positions{source.Dir, token.NewFileSet()}, roots: rootSet{}, unread: map[string]*trouble{}}
	// Generated methods stay out of sight, as they do for controller-gen: what is asked for is what
	// is written by hand.
	cfg := &packages.Config{Dir: source.Dir, Overlay: overlay, Fset: p.positions.fset}
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
		p.unread[path] = p.troubleWith(path) // before any type adds errors of its own
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
		AllowDangerousTypes: true, // the spec language has floats
		// Or else the API server would drop the metadata of objects within objects, labels and all.
		GenerateEmbeddedObjectMeta: true,
		IgnoreUnexportedFields:     source.IgnoreUnexportedFields,
	}
	crd.AddKnownTypes(p.parser)
	return p, nil
}

// loadError returns an error with what the go command has printed.
func loadError(err error) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("reading Go packages: the go command is not in PATH")
	}
	if _, stderr, found := strings.Cut(err.Error(), "stderr: "); found && strings.TrimSpace(stderr) != "" {
		return fmt.Errorf("reading Go packages: %s", strings.TrimSpace(stderr))
	}
	return fmt.Errorf("reading Go packages: %w", err)
}

// parseOverlay parses a package with files in memory: controller-tools would look for them on disk.
func (p *program) parseOverlay(pkg *loader.Package, overlay map[string][]byte) {
	if !slices.ContainsFunc(pkg.CompiledGoFiles, func(file string) bool { return overlay[file] != nil }) {
		return
	}
	var syntax []*ast.File
	for _, file := range pkg.CompiledGoFiles {
		var content any // nil: what the file holds
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

// inModule reports whether a package's files are in the folder that packages are read in.
func (p *program) inModule(pkg *loader.Package) bool {
	return len(pkg.GoFiles) > 0 && strings.HasPrefix(pkg.GoFiles[0], p.source.Dir+string(filepath.Separator))
}

// isEmbeddedField has the packages read of types that structs embed without a tag, which decide how
// the struct is copied.
func isEmbeddedField(node ast.Node) bool {
	field, ok := node.(*ast.Field)
	return ok && len(field.Names) == 0
}
