package importer

import (
	"cmp"
	"slices"
	"strings"
)

// tellingName returns the name of a place, behind those of what is around it as long as it tells
// nothing by itself.
func (p *place) tellingName() string {
	name, tells := p.label, !isGeneric(p.label)
	for outer := p.parent; outer != nil && !tells; outer = outer.parent {
		name, tells = joinNames(outer.label, name), !isGeneric(outer.label)
	}
	return name
}

// outerPlace returns the place around a place, nil when it has a type of its own: nothing around
// that names what is in it.
func (p *place) outerPlace() *place {
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

// ending is what names of an object end with.
type ending struct {
	name    string
	count   int             // of places
	telling map[string]bool // the names of fields that tell something by themselves
}

// commonEndings returns what an object is called at its places, and what the names of several
// places end with: that of the most places first, and of those that tell something by themselves
// before others.
func (o *object) commonEndings() []string {
	whole, around := map[string]bool{}, o.outerNames()
	for _, p := range o.places {
		whole[p.tellingName()] = true
	}
	found := map[string]*ending{}
	var all []*ending // in order of first use, the longest first
	for _, p := range o.places {
		words := nameWords(p.tellingName())
		for i := range words {
			name := strings.Join(words[i:], "")
			if !whole[name] && (len(whole) == 1 || around[name]) || isGeneric(name) && !vague[name] {
				continue
			}
			e := found[name]
			if e == nil {
				e = &ending{name: name, telling: map[string]bool{}}
				found[name], all = e, append(all, e)
			}
			if e.count++; p.tellingName() == p.label {
				e.telling[p.label] = true
			}
		}
	}
	all = slices.DeleteFunc(all, func(e *ending) bool {
		return vague[e.name] && (e.count < len(o.places) || len(e.telling) < 2 && len(whole) < 3)
	})
	slices.SortStableFunc(all, func(a, b *ending) int {
		return cmp.Or(b.count-a.count, min(len(b.telling), 1)-min(len(a.telling), 1))
	})
	var names []string
	for _, e := range all {
		if e.count == all[0].count || e.count*2 >= len(o.places) {
			names = append(names, e.name)
		}
	}
	return names
}

// outerNames returns what is called anything around an object, at any place.
func (o *object) outerNames() map[string]bool {
	labels, seen := map[string]bool{}, map[*place]bool{}
	for _, p := range o.places {
		for p = p.parent; p != nil && !seen[p]; p = p.parent {
			labels[p.label], seen[p] = true, true
		}
	}
	return labels
}
