package scaffold

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// needsAuthored reports whether an API has a version whose types an author owns and that is not
// read yet.
func needsAuthored(api *spec.API) bool {
	return slices.ContainsFunc(api.Versions, func(v spec.Version) bool { return v.GoTypes && v.Authored == nil })
}

// ReadGo completes an input from the Go source of the project in dir. It reads the Go types that
// the APIs name, the types that are an author's, of which it drafts those that are missing, and the
// markers in comments; and the templates of the author's own. It loads no package if the APIs
// name no Go types. The error is spec.Problems if the input or the Go source is invalid.
//
// tree is the same folder. Go packages and comments are read from dir, everything else from tree.
func ReadGo(dir string, tree fs.FS, in Input) (Source, error) {
	source := Source{Input: in}
	var meanwhile sync.WaitGroup
	meanwhile.Go(func() {
		source.operatorFolders, source.crdDocuments = lockedFolders(tree), knownDocuments(tree, in.Known)
	})
	err := source.readMarkers(dir)
	meanwhile.Wait()
	if err != nil {
		return source, err
	}
	if source.header, err = headerOf(tree, in.Project); err != nil {
		return source, err
	}
	source.readTemplateFolders(dir)
	if !in.NeedsGoSource() {
		return source, nil
	}
	apis := ReadAll(in.APIs)
	var uses []gotypes.Use
	for _, api := range apis {
		uses = append(uses, unreadTypes(in.Project, api)...)
	}
	source.readSamples(tree)
	source.loaded = gotypes.Folders{}
	problems, err := gotypes.Resolve(gotypes.Source{Dir: dir, ModFile: in.ModFile, Loaded: source.loaded}, uses)
	if err != nil {
		return source, err
	}
	if len(problems) == 0 {
		problems, err = source.readAuthored(dir, tree, apis)
	}
	if err != nil || len(problems) == 0 {
		return source, err
	}
	for _, api := range apis { // so that errors of the other APIs are reported at the same time
		if len(api.GoTypes()) == 0 && !needsAuthored(api) {
			_, more := crdgen.CRD(api, in.Project.MinKubernetes)
			problems = append(problems, more...)
		}
	}
	return source, problems.Err()
}

// unreadTypes returns the uses of Go types in an API that have not been read yet.
func unreadTypes(p *spec.Project, api *spec.API) []gotypes.Use {
	var uses []gotypes.Use
	for _, use := range api.GoTypes() {
		if use.Schema.Go == nil {
			dir := gomodel.PackageDir(p, api.Group, api.Versions[use.Version].Name)
			uses = append(uses, gotypes.Use{GoTypeUse: use, Importer: path.Join(p.Module, dir)})
		}
	}
	return uses
}

// readAuthored reads the packages with types that an author owns.
func (s *Source) readAuthored(dir string, tree fs.FS, apis []*spec.API) (spec.Problems, error) {
	if !slices.ContainsFunc(apis, needsAuthored) {
		return nil, nil
	}
	packages, problems := gomodel.Packages(s.Project, apis)
	if len(problems) > 0 {
		return problems, nil
	}
	source := gotypes.Source{Dir: dir, ModFile: s.ModFile, Files: map[string][]byte{}, IgnoreUnexportedFields: s.Project.IgnoreUnexportedFields, Loaded: s.loaded}
	a := authoredReader{project: s.Project, tree: tree, source: source, registrations: map[string]gomodel.Registration{}}
	for _, pkg := range packages {
		if err := a.addPackage(pkg); err != nil {
			return nil, err
		}
	}
	if len(a.problems) > 0 {
		return a.problems, nil
	}
	read, problems, err := gotypes.Versions(a.source, a.packages)
	s.warnings = slices.Concat(a.warnings, read.Warnings).Sorted()
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	a.keepDeepCopies(read.DeepCopy)
	s.APIs = slices.Clone(s.APIs)
	for i, api := range apis {
		if filled := read.APIs[api]; filled != nil {
			s.APIs[i] = Parsed(filled)[0]
		}
	}
	s.deepCopies, s.authored, s.registrations = read.DeepCopy, read.Packages, a.registrations
	s.Extra = append(slices.Clone(s.Extra), a.files...)
	return nil, nil
}

// authoredReader prepares packages with types that an author owns. They are read as they will be after
// generate: with the new generated files next to the author's, and with drafts of types that do not
// exist yet.
type authoredReader struct {
	project  *spec.Project
	tree     fs.FS
	source   gotypes.Source
	packages []gotypes.AuthoredPackage
	files    []tree.File // of the authors
	problems spec.Problems

	registrations map[string]gomodel.Registration // by import path
	warnings      spec.Problems
}

func (a *authoredReader) addPackage(pkg gomodel.Package) error {
	read := gotypes.AuthoredPackage{ImportPath: pkg.ImportPath, Dir: pkg.Dir}
	declared := filesByType(a.tree, pkg.Dir)
	for _, k := range pkg.Kinds {
		if !k.GoTypes {
			continue
		}
		i := slices.IndexFunc(k.API.Versions, func(v spec.Version) bool { return v.Name == pkg.Version })
		read.Kinds = append(read.Kinds, gotypes.KindVersion{API: k.API, Version: i, List: k.List})
		if err := a.findTypes(k, i, pkg.Dir, declared[k.Name]); err != nil {
			return err
		}
	}
	if len(read.Kinds) == 0 {
		return nil
	}
	a.packages = append(a.packages, read)
	registration := registrationIn(a.tree, pkg.Dir)
	a.registrations[pkg.ImportPath] = registration
	pkg = pkg.With(registration)
	a.warnOfLists(pkg)
	a.checkRegistration(pkg)
	return a.addGeneratedFiles(pkg)
}

// addGeneratedFiles adds the files that opgen generates in such a package. A file that it no longer
// generates is added as empty, because it is still on disk.
func (a *authoredReader) addGeneratedFiles(pkg gomodel.Package) error {
	register, err := templates.Register(pkg)
	if err != nil {
		return err
	}
	a.source.Files[path.Join(pkg.Dir, "zz_generated.register.go")] = register
	name := path.Join(pkg.Dir, typesFile)
	if pkg.HasTypes() {
		a.source.Files[name], err = templates.Types(pkg)
		return err
	}
	if _, err := fs.Stat(a.tree, name); err == nil {
		a.source.Files[name] = []byte("package " + pkg.Name + "\n")
	}
	return nil
}

// typesFile is the name of the generated file with the types of a package.
const typesFile = "zz_generated.types.go"

// findTypes finds the file that declares the types of a kind. If there is none, it drafts the file.
func (a *authoredReader) findTypes(k gomodel.Kind, version int, dir, declaredIn string) error {
	switch {
	case declaredIn == typesFile:
		a.problems = append(a.problems, stillGeneratedProblem(k, version, path.Join(dir, typesFile)))
		return nil
	case declaredIn != "":
		return a.keepFile(k, path.Join(dir, declaredIn))
	}
	file := path.Join(dir, templates.PackageName(k.Name)+"_types.go")
	if _, err := fs.Stat(a.tree, file); err == nil {
		return nil // the file declares something else, and gotypes reports that the kind is missing
	}
	draft, err := draftTypes(a.project, k.API, version)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	a.source.Files[file] = draft
	a.files = append(a.files, tree.File{Path: file, Content: draft, Owner: tree.Once, API: k.API.GroupKind()})
	return nil
}

// keepFile adds an existing file, so that it is known to belong to a kind.
func (a *authoredReader) keepFile(k gomodel.Kind, file string) error {
	if slices.ContainsFunc(a.files, func(f tree.File) bool { return f.Path == file }) {
		return nil // several kinds may share the file
	}
	content, err := fs.ReadFile(a.tree, file)
	a.files = append(a.files, tree.File{Path: file, Content: content, Owner: tree.Once, API: k.API.GroupKind()})
	return err
}

// stillGeneratedProblem returns how an author takes over types that opgen generates.
func stillGeneratedProblem(k gomodel.Kind, version int, file string) spec.Problem {
	at := fmt.Sprintf("versions[%d].goTypes", version)
	yours := path.Join(path.Dir(file), templates.PackageName(k.Name)+"_types.go")
	return spec.Problem{
		Pos: k.API.At[at], Path: at,
		Message: "the types of " + k.Name + " are still in " + file + ", which opgen has generated",
		Hint:    "make them yours: move them to " + filepath.ToSlash(yours) + ", without the line that says they are generated",
	}
}
