package importer

import (
	"slices"
	"strings"
)

// telling returns the name of a place, behind those of what is around it as long as it tells nothing by itself.
func (p *place) telling() string {
	name := p.label
	for outer := p.parent; outer != nil && isGeneric(name); outer = outer.parent {
		name = joinNames(outer.label, name)
	}
	return name
}

// outer returns the place around a place, nil when it has a type of its own: nothing around that names what is in it.
func (p *place) outer() *place {
	if p.object != nil && len(p.object.places) > 1 {
		return nil
	}
	return p.parent
}

// typeLabel returns the name of the type of the object at a place.
func (p *place) typeLabel() string {
	if p.object != nil && p.object.name != "" {
		return p.object.name
	}
	return p.label
}

// endings returns what an object is called at its places, and what the names of several places end with: that of the
// most places first, and of those that tell something by themselves before others.
func (o *object) endings() []string {
	whole, count, telling := map[string]bool{}, map[string]int{}, map[string]bool{}
	for _, p := range o.places {
		whole[p.telling()] = true
	}
	around := o.around()
	var endings []string // in order of first use, the longest first
	for _, p := range o.places {
		words := nameWords(p.telling())
		for i := range words {
			ending := strings.Join(words[i:], "")
			if !whole[ending] && (len(whole) == 1 || around[ending]) || isGeneric(ending) && !vague[ending] {
				continue
			}
			telling[ending] = telling[ending] || p.telling() == p.label
			if count[ending]++; count[ending] == 1 {
				endings = append(endings, ending)
			}
		}
	}
	slices.SortStableFunc(endings, func(a, b string) int {
		if count[a] != count[b] || telling[a] == telling[b] {
			return count[b] - count[a]
		} else if telling[a] {
			return -1
		}
		return 1
	})
	return slices.DeleteFunc(endings, func(ending string) bool {
		rare := count[ending]*2 < len(o.places) && count[ending] < count[endings[0]]
		return rare || vague[ending] && count[ending] < len(o.places)
	})
}

// around returns what is called anything around an object, at any place.
func (o *object) around() map[string]bool {
	labels, seen := map[string]bool{}, map[*place]bool{}
	for _, p := range o.places {
		for p = p.parent; p != nil && !seen[p]; p = p.parent {
			labels[p.label], seen[p] = true, true
		}
	}
	return labels
}
