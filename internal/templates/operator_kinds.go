package templates

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Made returns the kinds of children that Sync can desire.
func (v operatorView) Made() []childView {
	return slices.DeleteFunc(v.All(), func(c childView) bool { return c.Spec.PruneOnly })
}

// All returns the kinds of children, including those with pruneOnly.
func (v operatorView) All() []childView {
	views := make([]childView, len(v.Children))
	for i, c := range v.Children {
		isOther := func(other kinds.Child) bool {
			return other.Spec.Pos != c.Spec.Pos && other.Group == c.Group && other.Kind == c.Kind
		}
		views[i] = childView{v.viewOf(c.Resource), c.Spec, slices.ContainsFunc(v.Children, isOther)}
	}
	return views
}

// Read returns the related kinds.
func (v operatorView) Read() []relatedView {
	views := make([]relatedView, len(v.Related))
	for i, r := range v.Related {
		isSource := slices.ContainsFunc(v.Related, func(other kinds.Related) bool { return other.Spec.From == r.Spec.As })
		views[i] = relatedView{v.viewOf(r.Resource), r.Spec, isSource, v.ofChild(r)}
	}
	return views
}

// Dynamic returns the related kinds whose objects the author's code selects.
func (v operatorView) Dynamic() []relatedView {
	return slices.DeleteFunc(v.Read(), func(r relatedView) bool { return !r.Spec.Dynamic })
}

// Patched returns the related kinds whose objects Sync may patch.
func (v operatorView) Patched() []relatedView {
	return slices.DeleteFunc(v.Read(), func(r relatedView) bool { return !r.Spec.Patch })
}

// RelatedType returns the type of the related objects that Sync reads, and struct{} if it reads
// none.
func (v operatorView) RelatedType() string {
	if len(v.Related) == 0 {
		return "struct{}"
	}
	return "Related"
}

// Unstructured reports whether a kind has no Go type.
func (v operatorView) Unstructured() bool {
	return slices.ContainsFunc(v.Made(), func(c childView) bool { return c.GoPackage == "" }) ||
		slices.ContainsFunc(v.Read(), func(r relatedView) bool { return r.GoPackage == "" && !r.Metadata() })
}

// Meta reports whether the operator file uses types of metav1.
func (v operatorView) Meta() bool {
	return v.Conditions() != "" || slices.ContainsFunc(v.Made(), childView.Metadata) ||
		slices.ContainsFunc(v.Read(), relatedView.Metadata)
}

// Rules reports whether a child has a CEL rule.
func (v operatorView) Rules() bool {
	return slices.ContainsFunc(v.Made(), func(c childView) bool { return c.Rules() != "" })
}

// RunsInTests reports whether tests can run the operator against any API server with the project's
// CRDs and the stand-ins of foreign ones. They cannot if it reconciles existing cluster-scoped
// kinds, because the objects may belong to others.
func (v operatorView) RunsInTests() bool { return v.Controller == nil || !v.ClusterScoped() }

// StandInsFile is the file in the operator's folder with CRDs for foreign kinds. Tests install them
// in place of the real ones.
const StandInsFile = "testdata/zz_generated.foreign_crds.yaml"

// CRDFiles returns the files of the CRDs that tests need, as Go strings.
func (v operatorView) CRDFiles() string {
	var files []string
	if v.Controller == nil || v.OwnKinds() {
		files = append(files, strconv.Quote("../../deploy/zz_generated.crd.yaml"))
	}
	if v.HasForeign() {
		files = append(files, strconv.Quote(StandInsFile))
	}
	return strings.Join(files, ", ")
}

// HasForeign reports whether a kind is defined neither by Kubernetes nor by the project.
func (v operatorView) HasForeign() bool {
	return slices.ContainsFunc(v.resources(), func(r kinds.Resource) bool { return r.Foreign })
}

// Schemes returns the AddToScheme functions of the types that client-go's scheme lacks.
func (v operatorView) Schemes() string {
	var add []string
	if v.Controller == nil {
		add = append(add, v.APIName()+".AddToScheme")
	}
	for _, r := range v.resources() {
		name := v.imports.names[r.GoPackage] + ".AddToScheme"
		if r.GoPackage != "" && !r.Registered && !slices.Contains(add, name) {
			add = append(add, name)
		}
	}
	return strings.Join(add, ", ")
}

// TimeoutValue returns the timeout as a Go expression, and "" if there is none.
func (v operatorView) TimeoutValue() string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond}, {"Nanosecond", 1}} {
		if v.Timeout > 0 && v.Timeout%unit.of == 0 {
			return fmt.Sprintf("%d * time.%s", v.Timeout/unit.of, unit.name)
		}
	}
	return ""
}

// resourceView is a kind with the import name of its Go type.
type resourceView struct {
	kinds.Resource
	alias string
}

func (v operatorView) viewOf(r kinds.Resource) resourceView {
	return resourceView{r, v.imports.names[r.GoPackage]}
}

// Type returns the Go type of the objects.
func (r resourceView) Type() string {
	if r.GoPackage == "" {
		return "*unstructured.Unstructured"
	}
	return "*" + r.alias + "." + r.GoName
}

// Empty returns an expression for an empty object of the kind.
func (r resourceView) Empty() string {
	if r.GoPackage == "" {
		return "operator.Unstructured(" + strconv.Quote(r.APIVersion) + ", " + strconv.Quote(r.Kind) + ")"
	}
	return "new(" + r.alias + "." + r.GoName + ")"
}

// metadataType is the Go type of objects of which Sync sees only the metadata.
const metadataType = "*metav1.PartialObjectMetadata"

// textMap returns a Go expression for a map, in the order of its keys.
func textMap(texts map[string]string) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		pairs = append(pairs, strconv.Quote(key)+": "+strconv.Quote(texts[key]))
	}
	return "map[string]string{" + strings.Join(pairs, ", ") + "}"
}

func namespaceList(names []string) string {
	if slices.Equal(names, []string{spec.AllNamespaces}) {
		return "operator.AllNamespaces"
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}
