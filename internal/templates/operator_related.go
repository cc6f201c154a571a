package templates

import (
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

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
	if r.Spec.Patch {
		set = append(set, "Patch: true")
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
