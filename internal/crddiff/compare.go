package crddiff

import (
	"cmp"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Made is a CRD that the project makes, and what it is made from. API may be nil.
type Made struct {
	CRD *apiextv1.CustomResourceDefinition
	API *spec.API
}

// Other is a CRD to compare with, and where it is: the name of a file, or of a cluster.
type Other struct {
	CRD    *apiextv1.CustomResourceDefinition
	Source string
	// Served is true for a CRD that an API server has: what others have added to it there, such as
	// annotations and the certificate of a webhook, does not count.
	Served bool
}

// Report is the result of comparing CRDs.
type Report struct {
	Pairs      []Pair   // CRDs that are on both sides, sorted by name
	OnlyOurs   []string // names of CRDs that only the project has, sorted
	OnlyTheirs []Other  // CRDs that the project has not, sorted by name
}

// Pair is a CRD of the project, and how it differs from the other one of the same kind.
type Pair struct {
	Name        string
	Other       Other
	Differences []Difference
	// Descriptions are the lengths of all descriptions of the two.
	Ours, Theirs Descriptions
}

// Equal reports whether both sides have the same CRDs.
func (r Report) Equal() bool {
	differs := func(p Pair) bool { return len(p.Differences) > 0 }
	return len(r.OnlyOurs)+len(r.OnlyTheirs) == 0 && !slices.ContainsFunc(r.Pairs, differs)
}

// Compare compares the CRDs of a project with others. It changes none of them.
func Compare(ours []Made, theirs []Other) Report {
	var r Report
	found := map[schema.GroupKind]bool{}
	for _, made := range ours {
		at := slices.IndexFunc(theirs, func(o Other) bool { return o.IsOfKind(made.CRD) })
		if at < 0 {
			r.OnlyOurs = append(r.OnlyOurs, made.CRD.Name)
			continue
		}
		found[kindOf(made.CRD)] = true
		r.Pairs = append(r.Pairs, comparePair(made, theirs[at]))
	}
	for _, other := range theirs {
		if !found[kindOf(other.CRD)] {
			r.OnlyTheirs = append(r.OnlyTheirs, other)
		}
	}
	slices.Sort(r.OnlyOurs)
	slices.SortFunc(r.OnlyTheirs, func(a, b Other) int { return cmp.Compare(a.CRD.Name, b.CRD.Name) })
	slices.SortFunc(r.Pairs, func(a, b Pair) int { return cmp.Compare(a.Name, b.Name) })
	return r
}

func kindOf(crd *apiextv1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
}

func comparePair(made Made, other Other) Pair {
	c := comparer{api: made.API, served: other.Served}
	ours, theirs := withDefaults(made.CRD), withDefaults(other.CRD)
	c.compareCRDs(ours, theirs)
	slices.SortStableFunc(c.found, func(a, b Difference) int { return cmp.Compare(a.Path, b.Path) })
	return Pair{
		Name: made.CRD.Name, Other: other, Differences: c.found,
		Ours: descriptionsOf(ours), Theirs: descriptionsOf(theirs),
	}
}

// comparer collects the differences between two CRDs.
type comparer struct {
	api    *spec.API // that ours is made from; may be nil
	served bool      // an API server has theirs
	found  []Difference
}

func (c *comparer) add(d Difference) {
	if d.Cause == "" {
		d.Cause = OwnSource
	}
	c.found = append(c.found, d)
}

// addValue adds a difference between two values of the API file, unless they are equal. key is the
// path of the API file's key that sets it.
func (c *comparer) addValue(path, key, ours, theirs string, effect Effect) {
	if ours != theirs {
		c.add(Difference{Path: path, Ours: ours, Theirs: theirs, Pos: c.position(key), Effect: effect})
	}
}

// position returns the position of a key of the API file.
func (c *comparer) position(key string) spec.Pos {
	if c.api == nil {
		return spec.Pos{}
	}
	return c.api.PositionOf(key)
}

// IsOfKind reports whether a CRD is of the same kind.
func (o Other) IsOfKind(crd *apiextv1.CustomResourceDefinition) bool {
	return kindOf(o.CRD) == kindOf(crd)
}
