package warnings

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/spec"
)

// checkLists warns of lists without a limit that Sync makes children from: users decide how many.
func (w *warner) checkLists() {
	if w.api.Operator == nil {
		return
	}
	for i, v := range w.api.Versions {
		path := "spec"
		if len(w.api.Versions) > 1 {
			path = fmt.Sprintf("versions[%d].spec", i)
		}
		w.checkList(v.Spec, path)
	}
}

// checkList warns of a list and of those below it. It skips the types of Kubernetes and Go, which
// the author cannot change.
func (w *warner) checkList(s *spec.Schema, path string) {
	if s == nil || s.Type != "" || s.Foreign != "" {
		return
	}
	declared := s.Declared()
	if isCompared(s, declared) && s.Keywords.MaxItems == nil && declared.Keywords.MaxItems == nil {
		w.add(spec.WarnLists, s.Pos, path, "may have any number of items, and a child with 10,000 of them takes a worker about 0.1 s whenever somebody changes it",
			"set maxItems")
	}
	for _, p := range declared.Properties {
		w.checkList(p.Schema, path+"."+p.Name)
	}
	w.checkList(declared.Items, path+".items")
	w.checkList(declared.AdditionalProperties, path+".additionalProperties")
}

// isCompared reports whether server-side apply compares the items of a list one by one.
func isCompared(s, declared *spec.Schema) bool {
	for _, listType := range []*string{s.Keywords.XListType, declared.Keywords.XListType} {
		if listType != nil {
			return *listType != "atomic"
		}
	}
	return false
}
