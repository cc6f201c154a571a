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

// childView is a kind of children as templates print it.
type childView struct {
	resourceView
	Spec          spec.Child
	IsListedTwice bool // another entry has the same kind
}

// Metadata reports whether Sync sees only the metadata of the children.
func (c childView) Metadata() bool { return c.Spec.Cache == spec.CacheMetadata }

// Observed returns the Go type of the objects that Sync gets.
func (c childView) Observed() string {
	if c.Metadata() {
		return metadataType
	}
	return c.Type()
}

// Policies are the policies of the child's kind that are not the defaults.
func (c childView) Policies() string {
	var set []string
	say := func(field, value string) { set = append(set, field+": operator."+value) }
	if !c.Spec.PruneOnly {
		say("Update", string(c.Spec.Update))
	}
	if c.Spec.Adopt != "" && c.Spec.Adopt != spec.AdoptNever {
		say("Adopt", "Adopt"+string(c.Spec.Adopt))
	}
	if c.Spec.WhenDropped == spec.Orphan {
		say("WhenDropped", "Orphan")
	}
	if c.Spec.WhenDeleted == spec.Orphan {
		say("WhenDeleted", "Orphan")
	}
	if c.Spec.WhenImmutable == spec.RecreateIfImmutable {
		say("WhenImmutable", "RecreateIfImmutable")
	}
	if c.Spec.WhenRecreated == spec.OrphanDependents {
		say("WhenRecreated", "OrphanDependents")
	}
	return strings.Join(set, ", ")
}

// Rules are the rules of the child's kind.
func (c childView) Rules() string {
	var set []string
	if c.Spec.ReadyWhen.Text != "" {
		set = append(set, "ReadyWhen: cel.Rule("+strconv.Quote(c.Spec.ReadyWhen.Text)+")")
	}
	if c.Spec.FinishedWhen.Text != "" {
		set = append(set, "FinishedWhen: cel.Rule("+strconv.Quote(c.Spec.FinishedWhen.Text)+")")
	}
	return strings.Join(set, ", ")
}

// Description are the fields of the child's kind that are not the defaults.
func (c childView) Description() string {
	var set []string
	say := func(field, value string) { set = append(set, field+": "+value) }
	if c.IsListedTwice {
		say("As", strconv.Quote(c.Field))
	}
	if policies := c.Policies(); policies != "" {
		say("Policies", "operator.Policies{"+policies+"}")
	}
	if c.Spec.MaxUnavailable != "" {
		say("MaxUnavailable", strconv.Quote(c.Spec.MaxUnavailable))
	}
	if c.Spec.Evict {
		say("Evict", "true")
	}
	if len(c.Spec.InPlace) > 0 {
		say("InPlace", "[]string{"+namespaceList(c.Spec.InPlace)+"}")
	}
	if len(c.Spec.HandOver) > 0 {
		say("HandOver", "[]string{"+namespaceList(c.Spec.HandOver)+"}")
	}
	if rules := c.Rules(); rules != "" {
		say("Rules", "operator.Rules{"+rules+"}")
	}
	if h := c.Spec.History; h != nil {
		say("History", fmt.Sprintf("&operator.History{Succeeded: %d, Failed: %d}", h.Succeeded, h.Failed))
	}
	if c.Spec.NotPartOfReady {
		say("NotPartOfReady", "true")
	}
	if c.Metadata() {
		say("Metadata", "true")
	}
	if c.Spec.PruneOnly {
		say("PruneOnly", "true")
	}
	if c.Spec.Optional {
		say("Optional", "true")
	}
	if c.Spec.ForbidDisconnect {
		say("ForbidDisconnect", "true")
	}
	switch {
	case c.Spec.ListsNamespaces():
		say("Namespaces", "[]string{"+namespaceList(c.Spec.Namespaces)+"}")
	case len(c.Spec.Namespaces) > 0:
		say("Namespaces", "[]string{operator.AllNamespaces}")
	}
	return strings.Join(set, ", ")
}

// relatedView is a kind of related objects as templates print it.
type relatedView struct {
	resourceView
	Spec     spec.Related
	IsSource bool   // paths of another entry lead into the objects
	OfChild  string // a Go expression for the children that control the objects; empty: none does
}

// Metadata reports whether Sync sees only the metadata of the related objects.
func (r relatedView) Metadata() bool { return r.Spec.Cache == spec.CacheMetadata }

// Observed returns the Go type of the objects that Sync gets.
func (r relatedView) Observed() string {
	if r.Metadata() {
		return metadataType
	}
	return r.Type()
}

// Selection returns the fields of the description that select objects, and say how much of them is
// read.
func (r relatedView) Selection() string {
	var set []string
	if r.IsSource {
		set = append(set, "As: "+strconv.Quote(r.Spec.As))
	}
	for _, f := range []struct{ name, value string }{
		{"From", r.Spec.From}, {"Name", r.Spec.Name}, {"NameFrom", r.Spec.NameFrom}, {"Selector", r.Spec.Selector}, {"SelectorFrom", r.Spec.SelectorFrom},
		{"NamespacesFrom", r.Spec.NamespacesFrom},
	} {
		if f.value != "" {
			set = append(set, f.name+": "+strconv.Quote(f.value))
		}
	}
	if len(r.Spec.Match) > 0 {
		set = append(set, "Match: "+textMap(r.Spec.Match))
	}
	if r.OfChild != "" {
		set = append(set, "OfChild: "+r.OfChild)
	}
	if len(r.Spec.Namespaces) > 0 {
		set = append(set, "Namespaces: []string{"+namespaceList(r.Spec.Namespaces)+"}")
	}
	if r.Spec.Dynamic {
		set = append(set, "Dynamic: true")
	}
	if r.Metadata() {
		set = append(set, "Metadata: true")
	}
	if r.Spec.Delete {
		set = append(set, "Delete: true")
	}
	if r.Spec.Optional {
		set = append(set, "Optional: true")
	}
	if r.Spec.Access == spec.AccessGet {
		set = append(set, "Access: operator.AccessGet")
	}
	if len(set) == 0 {
		return ""
	}
	return strings.Join(set, ", ") + ", "
}

// ofChild returns a Go expression for the children that control the objects of an entry; an empty one if
// none does.
func (v operatorView) ofChild(r kinds.Related) string {
	if r.OfChild == nil {
		return ""
	}
	set := []string{"Object: " + v.viewOf(r.OfChild.Resource).Empty()}
	for _, c := range v.All() {
		if c.Field == r.OfChild.Field && c.IsListedTwice {
			set = append(set, "As: "+strconv.Quote(c.Field))
		}
	}
	if r.Through != nil {
		set = append(set, "Through: operator.Unstructured("+strconv.Quote(r.Through.APIVersion)+", "+strconv.Quote(r.Through.Kind)+")")
	}
	return "&operator.OfChild{" + strings.Join(set, ", ") + "}"
}

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

// Examples returns statements that desire a child, for the author to complete. Three scopes differ:
//
//   - Parent and child are namespaced: the runtime sets the namespace.
//   - Only the child is namespaced: the statements name a namespace.
//   - Only the parent is namespaced: the child's name includes the namespace, so that parents in two
//
// namespaces do not share a child.
func (v operatorView) Examples(c childView) []string {
	name := v.ParentField("Name")
	if !c.Namespaced && !v.ClusterScoped() {
		name = v.ParentField("Namespace") + ` + "-" + ` + name
	}
	meta, needsNamespace := "Name: "+name, c.Namespaced && v.ClusterScoped()
	if needsNamespace {
		meta += `, Namespace: "default"`
	}
	if c.GoPackage != "" {
		return []string{"want." + c.Field + ".Add(&" + c.alias + "." + c.GoName + "{ObjectMeta: metav1.ObjectMeta{" + meta + "}})"}
	}
	variable := strings.ToLower(c.Kind[:1]) + c.Kind[1:]
	lines := []string{variable + " := " + c.Empty(), variable + ".SetName(" + name + ")"}
	if needsNamespace {
		lines = append(lines, variable+`.SetNamespace("default")`)
	}
	return append(lines, "want."+c.Field+".Add("+variable+")")
}
