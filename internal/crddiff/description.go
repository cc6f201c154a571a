package crddiff

import (
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Descriptions is how many descriptions a CRD has, and the number of bytes of the longest.
type Descriptions struct{ Count, Longest int }

// descriptionsOf counts the descriptions of all versions of a CRD.
func descriptionsOf(crd *apiextv1.CustomResourceDefinition) Descriptions {
	var all Descriptions
	for _, v := range crd.Spec.Versions {
		if v.Schema != nil {
			all.add(v.Schema.OpenAPIV3Schema)
		}
	}
	return all
}

func (all *Descriptions) add(s *props) {
	if s == nil {
		return
	}
	if s.Description != "" {
		all.Count, all.Longest = all.Count+1, max(all.Longest, len(s.Description))
	}
	for _, below := range s.Properties {
		all.add(&below)
	}
	all.add(elementOf(s))
}

// normalized returns a text with single spaces for all whitespace, since tools wrap lines
// differently.
func normalized(text string) string { return strings.Join(strings.Fields(text), " ") }

// compareDescriptions compares two descriptions, however they are wrapped.
func (c *comparer) compareDescriptions(at place, ours, theirs string) {
	ours, theirs = normalized(ours), normalized(theirs)
	if ours == theirs {
		return
	}
	d := at.difference("description", ours, theirs)
	if isCut(ours, theirs) || isCut(theirs, ours) || d.Cause == OwnSource {
		d.Cause = Description
	}
	c.add(d)
}

// isCut reports whether a description is the beginning of another one, as maxDescLen cuts it, or
// nothing of it.
func isCut(short, long string) bool {
	short = strings.TrimSuffix(short, "...")
	return len(short) < len(long) && strings.HasPrefix(long, short)
}

// cuts reports whether a CRD with these descriptions can have a description because maxDescLen cuts
// it: the whole one is longer than the longest that the CRD has.
func (all Descriptions) cuts(short, whole string) bool {
	const dots = 3 // that follow a description which is cut within a sentence
	return isCut(short, whole) && len(whole)+dots > all.Longest
}
