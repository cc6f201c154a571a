package main

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/crddiff"
	"github.com/opgen-dev/opgen/internal/project"
)

// describe returns what a group of differences is, and which key makes the two sides equal.
func (r crdReport) describe(p crddiff.Pair, g crddiff.Group) (what, hint string) {
	switch g.Cause {
	case crddiff.Metadata:
		return describeMetadata(g)
	case crddiff.Description:
		return describeDescriptions(p, g)
	}
	return r.describeTypes(g)
}

func describeMetadata(g crddiff.Group) (what, hint string) {
	d := g.Differences[0]
	where := d.Path
	if len(g.Differences) > 1 {
		where = fmt.Sprintf("%s and %d more", d.Path, len(g.Differences)-1)
	}
	return fmt.Sprintf("%s: names %s here, %s there", where, metadataNames[d.Ours], metadataNames[d.Theirs]),
		fmt.Sprintf("embeddedMetadata: %s in %s makes them equal", d.Theirs, d.Pos.File)
}

// metadataNames are what the values of embeddedMetadata make schemas name.
var metadataNames = map[string]string{
	"false": "no fields",
	"true":  "name, labels and annotations",
	"All":   "all fields of embedded metadata",
}

func describeDescriptions(p crddiff.Pair, g crddiff.Group) (what, hint string) {
	what = agree(len(g.Differences), "description", "descriptions")
	switch {
	case g.Change == crddiff.Added && p.Theirs.Count == 0:
		return what + " only here", "maxDescLen: 0 in opgen.yaml leaves them out"
	case g.Change == crddiff.Removed && p.Ours.Count == 0:
		return what + " only there", "maxDescLen: 0 in opgen.yaml leaves them out here"
	case g.Change == crddiff.Cut:
		return fmt.Sprintf("%s cut there, where the longest has %d bytes", what, p.Theirs.Longest),
			fmt.Sprintf("maxDescLen: %d in opgen.yaml cuts them here", p.Theirs.Longest)
	case g.Change == crddiff.CutHere:
		return what + " cut here", "maxDescLen in opgen.yaml cuts them"
	case g.Change == crddiff.Added, g.Change == crddiff.Removed:
		return what + " " + string(g.Change) + ":", ""
	}
	return agree(len(g.Differences), "description differs:", "descriptions differ:"), ""
}

// describeTypes describes differences in Go types of another module.
func (r crdReport) describeTypes(g crddiff.Group) (what, hint string) {
	own := withVersion(g.Module, r.modules)
	if version := r.other.modules[g.Module]; version != "" && version != r.modules[g.Module] {
		hint = fmt.Sprintf("the Go module there has %s %s", g.Module, version)
	}
	switch g.Change {
	case crddiff.Added:
		return fmt.Sprintf("%s below %s that %s has, and the CRD there has not", agree(len(g.Differences), "field", "fields"), g.Path, own), hint
	case crddiff.Removed:
		return fmt.Sprintf("%s below %s that the CRD there has, and %s has not", agree(len(g.Differences), "field", "fields"), g.Path, own), hint
	}
	return fmt.Sprintf("%s below %s in what %s says of its types", agree(len(g.Differences), "difference", "differences"), g.Path, own), hint
}

func withVersion(module string, of project.Modules) string {
	if version := of[module]; version != "" {
		return module + " " + version
	}
	return module
}
