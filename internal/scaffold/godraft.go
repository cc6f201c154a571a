package scaffold

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// filesByType returns the files of a folder by the types that they declare. It skips files that
// cannot be parsed, which the reader of the package reports.
func filesByType(tree fs.FS, dir string) map[string]string {
	found := map[string]string{}
	files, err := fs.Glob(tree, path.Join(dir, "*.go"))
	if err != nil {
		return found
	}
	for _, file := range files {
		source, err := fs.ReadFile(tree, file)
		if err != nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if parsed == nil {
			continue
		}
		for _, name := range declaredIn(parsed).types {
			if known := found[name]; known == "" || known == typesFile {
				found[name] = path.Base(file)
			}
		}
	}
	return found
}

// draftTypes renders the Go types that an author starts from. They are those of a draft of the spec
// file.
func draftTypes(p *spec.Project, api *spec.API, version int) ([]byte, error) {
	text, err := templates.Draft(templates.DraftView{
		Group: api.Group, Version: api.Versions[version].Name, Kind: api.Names.GoKind, Scope: string(api.Scope),
	})
	if err != nil {
		return nil, err
	}
	like, problems := spec.ParseAPI(api.File, text)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	draft := *api
	v := like.Versions[0]
	v.Served, v.Storage, v.Deprecated, v.Warning =
		api.Versions[version].Served, api.Versions[version].Storage, api.Versions[version].Deprecated, api.Versions[version].Warning
	draft.Versions = append([]spec.Version(nil), api.Versions...)
	v.Spec.Properties[0].Schema.Keywords.Description = "How many there should be. What stands above a field describes it to users."
	draft.Versions[version] = v
	packages, problems := gomodel.Packages(p, []*spec.API{&draft})
	if err := problems.Err(); err != nil {
		return nil, err
	}
	for _, pkg := range packages {
		if pkg.Version == v.Name {
			addComments(pkg)
			return templates.AuthoredTypes(pkg)
		}
	}
	return nil, nil
}

// addComments adds comments to the types of a draft that an author would write. It adds no markers
// for typed clients: without any, the markers follow from the API file.
func addComments(pkg gomodel.Package) {
	k := pkg.Kinds[0]
	about := map[string]string{
		k.Name:   k.Name + " is a kind of " + pkg.Group + ". Say here what it is: kubectl explain shows it.",
		k.Spec:   k.Spec + " is what users want.",
		k.Status: k.Status + " is what the operator has seen.",
	}
	for i, t := range pkg.Types {
		pkg.Types[i].Markers = gomodel.WithoutClientMarkers(t.Markers)
		if doc := about[t.Name]; doc != "" {
			pkg.Types[i].Doc = []string{doc}
		}
	}
}
