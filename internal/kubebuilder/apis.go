package kubebuilder

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// SpecFile is the spec file of a kind that the project defines.
type SpecFile struct {
	Name    string // in messages, such as api/captain.yaml
	Content []byte
}

// APIs are the kinds of a project as opgen has them.
type APIs struct {
	Files      []SpecFile
	Domain     string        // with which the folders of Go types have the names that opgen expects
	Multigroup bool          // likewise
	Left       spec.Problems // warnings: the kinds that are left out
}

// ReadAPIs returns the kinds that the Go code of a project declares. Their spec files say what the markers of the types
// say, and leave the schemas to the types. Kinds that are elsewhere than those of PROJECT, and those of PROJECT that
// the code does not have, are left out, with a warning.
func ReadAPIs(p *Project, settings Settings, tree fs.FS) (APIs, spec.Problems) {
	all, err := declaredKinds(tree)
	if err != nil {
		return APIs{}, spec.Problems{{Message: err.Error()}}
	}
	own, left := p.selectOwn(all)
	l := p.layoutOf(own)
	found := APIs{Domain: l.domain, Multigroup: l.multigroup, Left: left}
	moves, problems := l.moves(own), renames(own)
	if len(moves)+len(problems) > 0 {
		for _, m := range moves {
			problems = append(problems, m.problem(tree, p.Repo, moves, foldersOf(own)))
		}
		return found, problems
	}
	for _, versions := range byKind(own) {
		k := kind{tree: tree, versions: versions}
		view := k.view(settings)
		if problems = append(problems, k.problems...); len(k.problems) > 0 || len(view.Versions) == 0 {
			continue // markers leave all versions out, and controller-gen makes no CRD either
		}
		content, err := templates.MovedAPI(view)
		if err != nil {
			problems = append(problems, spec.Problem{Message: err.Error()})
		}
		found.Files = append(found.Files, SpecFile{Name: "api/" + strings.ToLower(view.Kind) + ".yaml", Content: content})
	}
	return found, problems
}

// selectOwn returns the kinds of the project among those that its code declares: those of PROJECT, those in the same packages,
// and those below api. It also returns warnings about the others, and about what PROJECT lists and the code has not.
func (p *Project) selectOwn(all []declared) (own []declared, left spec.Problems) {
	folders := map[string]bool{}
	for _, r := range p.Resources {
		at := slices.IndexFunc(all, func(k declared) bool { return r.is(k) && p.pathOf(k) == r.Path })
		if at < 0 {
			at = slices.IndexFunc(all, r.is)
		}
		switch {
		case at >= 0:
			folders[all[at].dir] = true
			all[at].group = cmp.Or(all[at].group, r.QualifiedGroup())
		case r.IsDefined():
			left = append(left, spec.Problem{
				Pos: r.Pos, Path: "resources", Message: r.Kind + " of " + r.QualifiedGroup() + "/" + r.Version + " is left out: no Go type of this name embeds metav1.TypeMeta and metav1.ObjectMeta, so that controller-gen makes no CRD of it either",
				Hint: "if it is a kind, embed both; if it is none, such as the configuration of a program, nothing is missing",
			})
		}
	}
	for _, k := range all {
		switch {
		case k.group == "": // controller-gen makes no CRD of it
		case folders[k.dir] || strings.HasPrefix(k.dir, "api/"):
			own = append(own, k)
		default:
			left = append(left, spec.Problem{
				Pos: k.pos, Message: k.kind + " of " + k.group + "/" + k.version + " is left out: " + FileName + " does not list it, and it is in none of the packages of the kinds there",
				Hint: "list it in " + FileName + " if the operator brings its CRD; if another project does, nothing is missing",
			})
		}
	}
	return own, left
}

// is reports whether a resource is a kind that Go code declares. Its group is that of the code, which PROJECT may have
// otherwise.
func (r Resource) is(k declared) bool {
	return !r.External && !r.Core && r.Kind == k.kind && r.Version == k.version
}

// pathOf returns the import path of a kind's package, as PROJECT names it.
func (p *Project) pathOf(k declared) string { return path.Join(p.Repo, k.dir) }

// byKind returns the versions of each kind.
func byKind(all []declared) [][]declared {
	var kinds [][]declared
	for _, k := range all {
		i := slices.IndexFunc(kinds, func(versions []declared) bool {
			return versions[0].kind == k.kind && versions[0].group == k.group
		})
		if i < 0 {
			i, kinds = len(kinds), append(kinds, nil)
		}
		kinds[i] = append(kinds[i], k)
	}
	return kinds
}

func foldersOf(kinds []declared) (folders []string) {
	for _, k := range kinds {
		folders = append(folders, k.dir)
	}
	return folders
}

// kind is a kind that the project defines.
type kind struct {
	tree     fs.FS
	versions []declared
	problems spec.Problems
}

// view returns what the spec file of the kind says.
func (k *kind) view(settings Settings) templates.MovedAPIView {
	first := k.versions[0]
	view := templates.MovedAPIView{Group: first.group, Kind: first.kind, Scope: string(spec.Namespaced)}
	switch settings.EmbeddedMetadata {
	case spec.NoMetadata:
		view.EmbeddedMetadata = "false"
	case spec.AllMetadata:
		view.EmbeddedMetadata = string(spec.AllMetadata)
	}
	slices.SortFunc(k.versions, func(a, b declared) int { return cmp.Compare(a.version, b.version) }) // as controller-gen does
	for _, d := range k.versions {
		marked, _, problems := gotypes.ReadMarked(k.tree, d.dir, d.kind, d.version)
		k.problems = append(k.problems, problems...)
		crd := marked.CRD
		if crd == nil || len(crd.Spec.Versions) == 0 {
			continue
		}
		v := crd.Spec.Versions[0]
		moved := templates.MovedVersion{Name: v.Name, Storage: v.Storage, Unserved: !v.Served, Deprecated: v.Deprecated}
		if v.DeprecationWarning != nil {
			moved.Warning = *v.DeprecationWarning
		}
		view.Versions = append(view.Versions, moved)
		k.addNames(&view, crd)
	}
	if len(view.Versions) == 1 {
		view.Versions[0].Storage = false // the only version is stored
	}
	return view
}

// addNames adds what the markers of a version say about the whole kind. Any version may say it.
func (k *kind) addNames(view *templates.MovedAPIView, crd *apiextv1.CustomResourceDefinition) {
	names := crd.Spec.Names
	if crd.Spec.Scope != "" {
		view.Scope = string(crd.Spec.Scope)
	}
	if names.Plural != "" && names.Plural != spec.Plural(view.Kind) {
		view.Plural = names.Plural
	}
	if names.Singular != "" && names.Singular != strings.ToLower(view.Kind) {
		view.Singular = names.Singular
	}
	if len(names.ShortNames) > 0 {
		view.ShortNames = names.ShortNames
	}
	if len(names.Categories) > 0 {
		view.Categories = names.Categories
	}
	for key, value := range crd.Annotations {
		view.Annotations = append(view.Annotations, templates.Pair{Key: key, Value: value})
	}
	for key, value := range crd.Labels {
		view.Labels = append(view.Labels, templates.Pair{Key: key, Value: value})
	}
	byKey := func(a, b templates.Pair) int { return cmp.Compare(a.Key, b.Key) }
	slices.SortFunc(view.Annotations, byKey)
	slices.SortFunc(view.Labels, byKey)
	view.Annotations, view.Labels = slices.Compact(view.Annotations), slices.Compact(view.Labels)
}
