package warnings

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/spec"
)

// checkLists warns of lists that a user makes as long as they like, where Sync makes children of them.
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

// checkList warns of a node and what is below it. It leaves out what is below a type of somebody else.
func (w *warner) checkList(s *spec.Schema, path string) {
	if s == nil || s.Type != "" || s.Foreign {
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

// isCompared reports whether the items of a list are compared one by one, since several managers may
// own some of them.
func isCompared(s, declared *spec.Schema) bool {
	for _, listType := range []*string{s.Keywords.XListType, declared.Keywords.XListType} {
		if listType != nil {
			return *listType != "atomic"
		}
	}
	return false
}
