package crddiff

import (
	"cmp"
	"slices"
	"strings"
)

// Change is on which side something is.
type Change string

// The changes.
const (
	Added   Change = "only here"  // only the project has it
	Removed Change = "only there" // only the other CRD has it
	Cut     Change = "cut there"  // maxDescLen has cut the description of the other CRD
	CutHere Change = "cut here"   // maxDescLen has cut the description of the project
	Changed Change = "differs"
)

// Group is differences that one cause and one key explain.
type Group struct {
	Cause       Cause
	Change      Change
	Module      string // of ForeignTypes
	Version     string // of ForeignTypes, the version of the CRD
	Path        string // what the paths have in common
	Effect      Effect // the most severe one
	Differences []Difference
}

// Summary is the differences of a pair: groups of those that have a cause outside of the project's
// own source, and one by one those that have not.
type Summary struct {
	Groups []Group
	Own    []Difference
}

// Summarize groups the differences of a pair. moduleOf returns the Go module of an import path.
func Summarize(p Pair, moduleOf func(importPath string) string) Summary {
	var s Summary
	for _, d := range p.Differences {
		if d.Cause == OwnSource {
			s.Own = append(s.Own, d)
			continue
		}
		g := Group{Cause: d.Cause, Change: changeOf(p, d)}
		if d.Cause == ForeignTypes {
			g.Module = moduleOf(d.Foreign)
			g.Version, _, _ = strings.Cut(d.Path, ".")
		}
		s.addTo(g, d)
	}
	for i := range s.Groups {
		s.Groups[i].Path = commonPath(s.Groups[i].Differences)
	}
	slices.SortStableFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Change, b.Change))
	})
	return s
}

// addTo adds a difference to the group that is like g.
func (s *Summary) addTo(g Group, d Difference) {
	at := slices.IndexFunc(s.Groups, func(other Group) bool {
		return other.Cause == g.Cause && other.Change == g.Change && other.Module == g.Module && other.Version == g.Version
	})
	if at < 0 {
		at = len(s.Groups)
		s.Groups = append(s.Groups, g)
	}
	into := &s.Groups[at]
	into.Differences = append(into.Differences, d)
	if d.Effect.severity() > into.Effect.severity() {
		into.Effect = d.Effect
	}
}

func changeOf(p Pair, d Difference) Change {
	switch {
	case d.Cause == Metadata:
		return Changed
	case d.OnlyOurs():
		return Added
	case d.OnlyTheirs():
		return Removed
	case d.Cause == Description && p.Theirs.cuts(d.Theirs, d.Ours):
		return Cut
	case d.Cause == Description && p.Ours.cuts(d.Ours, d.Theirs):
		return CutHere
	}
	return Changed
}

// commonPath returns the path that leads to all differences.
func commonPath(all []Difference) string {
	common := strings.Split(all[0].Path, ".")
	for _, d := range all[1:] {
		path := strings.Split(d.Path, ".")
		n := 0
		for n < min(len(path), len(common)) && path[n] == common[n] {
			n++
		}
		common = common[:n]
	}
	if len(all) == 1 && len(common) > 1 {
		common = common[:len(common)-1]
	}
	return strings.Join(common, ".")
}
