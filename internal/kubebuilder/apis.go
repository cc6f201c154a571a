package kubebuilder

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// SpecFile is the spec file of a kind that the project defines.
type SpecFile struct {
	Name    string // in messages, such as api/captain.yaml
	Content []byte
}

// SpecFiles returns the spec files of the kinds that a project defines, in the order of PROJECT. They
// say what the markers of the types say, and leave the schemas to the types.
func SpecFiles(p *Project, settings Settings, tree fs.FS) ([]SpecFile, spec.Problems) {
	var files []SpecFile
	var problems spec.Problems
	for _, versions := range p.kinds() {
		k := kind{Project: p, tree: tree, versions: versions}
		view := k.view(settings)
		if problems = append(problems, k.problems...); len(k.problems) > 0 {
			continue
		}
		content, err := templates.MovedAPI(view)
		if err != nil {
			problems = append(problems, spec.Problem{Message: err.Error()})
		}
		files = append(files, SpecFile{Name: "api/" + strings.ToLower(view.Kind) + ".yaml", Content: content})
	}
	return files, problems
}

// kinds returns the versions of each kind that the project defines.
func (p *Project) kinds() [][]Resource {
	var kinds [][]Resource
	for _, r := range p.Resources {
		if !r.IsDefined() {
			continue
		}
		same := func(versions []Resource) bool {
			return versions[0].Kind == r.Kind && versions[0].QualifiedGroup() == r.QualifiedGroup()
		}
		i := slices.IndexFunc(kinds, same)
		if i < 0 {
			i, kinds = len(kinds), append(kinds, nil)
		}
		kinds[i] = append(kinds[i], r)
	}
	return kinds
}

// kind is a kind that the project defines.
type kind struct {
	*Project
	tree     fs.FS
	versions []Resource
	problems spec.Problems
}

// view returns what the spec file of the kind says.
func (k *kind) view(settings Settings) templates.MovedAPIView {
	first := k.versions[0]
	view := templates.MovedAPIView{Group: first.QualifiedGroup(), Kind: first.Kind, Scope: string(spec.Namespaced)}
	switch settings.EmbeddedMetadata {
	case spec.NoMetadata:
		view.EmbeddedMetadata = "false"
	case spec.AllMetadata:
		view.EmbeddedMetadata = string(spec.AllMetadata)
	}
	slices.SortFunc(k.versions, func(a, b Resource) int { return cmp.Compare(a.Version, b.Version) }) // as controller-gen does
	for _, r := range k.versions {
		crd := k.readMarkers(r)
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

// readMarkers returns what the markers of a version's type say. It returns nil if the type is not
// where opgen looks for it.
func (k *kind) readMarkers(r Resource) *apiextv1.CustomResourceDefinition {
	dir := gomodel.PackageDir(&spec.Project{Domain: k.Domain, Multigroup: k.Multigroup}, r.QualifiedGroup(), r.Version)
	marked, found, problems := gotypes.ReadMarked(k.tree, dir, r.Kind, r.Version)
	k.problems = append(k.problems, problems...)
	if found {
		return marked.CRD
	}
	message := fmt.Sprintf("there is no type %s in %s, where opgen reads the types of %s/%s", r.Kind, dir, r.QualifiedGroup(), r.Version)
	hint := "take the resource out of " + FileName + ", or move the type there"
	if folder, ok := strings.CutPrefix(r.Path, k.Repo+"/"); ok && folder != dir && k.Repo != "" {
		hint = fmt.Sprintf("move the package: git mv %s %s, and change its import path in the Go files and in %s", folder, path.Clean(dir), FileName)
	}
	k.problems = append(k.problems, spec.Problem{
		Pos: r.Pos, Path: "resources", Message: message, Hint: hint,
	})
	return nil
}
