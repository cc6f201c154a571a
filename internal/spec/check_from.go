package spec

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/nearest"
)

// checkFrom adds a problem for each entry of related objects whose from names no entry, leads back to
// itself, or reads what the cache of the other entry leaves out. n is the operator.
func (d *decoder) checkFrom(related []Related, n *yaml.Node, path string) {
	entries := map[string]Related{}
	for _, r := range related {
		entries[r.As] = r
	}
	_, list := lookupKey(n, "related")
	for i, r := range related {
		if r.From == "" {
			continue
		}
		entry, path := list.Content[i], indexPath(path, i)
		_, from := lookupKey(entry, "from")
		source, isKnown := entries[r.From]
		circle := circleOf(entries, r)
		switch {
		case !isKnown:
			hint := "known: " + strings.Join(slices.Sorted(maps.Keys(entries)), ", ")
			if best := nearest.Name(r.From, slices.Sorted(maps.Keys(entries))); best != "" {
				hint = "did you mean " + quoteShort(best) + "?"
			}
			d.fail(from, joinPath(path, "from"), quoteShort(r.From)+" is the as of no entry", hint)
		case circle != nil:
			d.fail(from, joinPath(path, "from"), "leads back to the entry itself: "+strings.Join(circle, " from "), "one of them starts from the parent: leave from out there")
		case source.Cache == CacheMetadata:
			d.checkPathsInMetadata(r, entry, path)
		}
	}
}

// circleOf returns the entries on the way from an entry back to itself; nil if there is no such way.
func circleOf(entries map[string]Related, r Related) []string {
	way := []string{r.As}
	for next := r; next.From != ""; {
		if way = append(way, next.From); next.From == r.As {
			return way
		}
		if next = entries[next.From]; len(way) > len(entries) {
			return nil // a circle of others, which is reported there
		}
	}
	return nil
}

// checkPathsInMetadata adds a problem for each path of an entry that does not lead into the metadata of
// the objects that it is read in.
func (d *decoder) checkPathsInMetadata(r Related, entry *yaml.Node, path string) {
	check := func(n *yaml.Node, path, text string) {
		if text != "" && !strings.HasPrefix(text, ".metadata.") {
			d.fail(n, path, text+" is not in the metadata, and "+r.From+" has cache: metadata", "leave cache out at "+r.From)
		}
	}
	for _, key := range []struct{ name, text string }{{"nameFrom", r.NameFrom}, {"selectorFrom", r.SelectorFrom}, {"namespaces", r.NamespacesFrom}} {
		_, n := lookupKey(entry, key.name)
		check(n, joinPath(path, key.name), key.text)
	}
	if _, pairs := lookupKey(entry, "match"); pairs != nil {
		d.eachEntry(pairs, joinPath(path, "match"), func(_, value *yaml.Node, path string) { check(value, path, value.Value) })
	}
}

// checkOfChild adds a problem for each entry of related objects whose ofChild names no entry of children. n
// is the operator.
func (d *decoder) checkOfChild(op *Operator, n *yaml.Node, path string) {
	var known []string
	for _, c := range op.Children {
		if !c.PruneOnly {
			known = append(known, c.As)
		}
	}
	_, list := lookupKey(n, "related")
	for i, r := range op.Related {
		if r.OfChild == "" || slices.Contains(known, r.OfChild) {
			continue
		}
		_, ofChild := lookupKey(list.Content[i], "ofChild")
		hint := "list the children first, whose as this is"
		if best := nearest.Name(r.OfChild, known); best != "" {
			hint = "did you mean " + quoteShort(best) + "?"
		}
		d.fail(ofChild, joinPath(indexPath(path, i), "ofChild"), quoteShort(r.OfChild)+" is the as of no child that Sync makes", hint)
	}
}
