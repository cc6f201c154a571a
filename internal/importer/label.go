package importer

import (
	"cmp"
	"slices"
	"strings"
)

// specificName returns the label of an occurrence. A generic label such as Config gets the labels
// around it as a prefix, until one of them is not generic: Server.tls.config → TLSConfig.
func (p *occurrence) specificName() string {
	name, tells := p.label, !isGeneric(p.label)
	for outer := p.parent; outer != nil && !tells; outer = outer.parent {
		name, tells = joinNames(outer.label, name), !isGeneric(outer.label)
	}
	return name
}

// namingParent returns the occurrence whose name can be a prefix of the names below: the parent. It
// returns nil if the object becomes a type, since what is around one of its uses does not describe
// it.
func (p *occurrence) namingParent() *occurrence {
	if p.object != nil && len(p.object.occurrences) > 1 {
		return nil
	}
	return p.parent
}

// typeNameOrLabel returns the name of the object's type, or the label if the object has no type.
func (p *occurrence) typeNameOrLabel() string {
	if p.object != nil && p.object.name != "" {
		return p.object.name
	}
	return p.label
}

// ending is the last words of one or more specific names of an object.
type ending struct {
	name   string
	count  int             // of occurrences
	labels map[string]bool // the labels with this ending that are not generic
}

// commonEndings returns the specific names of an object, and their common last words: those of the
// most occurrences first, and among these, those from labels that are not generic. For the fields
// readinessProbe and livenessProbe, Probe comes first.
func (o *object) commonEndings() []string {
	whole, around := map[string]bool{}, o.enclosingLabels()
	for _, p := range o.occurrences {
		whole[p.specificName()] = true
	}
	found := map[string]*ending{}
	var all []*ending // in order of first use, the longest first
	for _, p := range o.occurrences {
		words := nameWords(p.specificName())
		for i := range words {
			name := strings.Join(words[i:], "")
			if !whole[name] && (len(whole) == 1 || around[name]) || isGeneric(name) && !vagueWords[name] {
				continue
			}
			e := found[name]
			if e == nil {
				e = &ending{name: name, labels: map[string]bool{}}
				found[name], all = e, append(all, e)
			}
			if e.count++; p.specificName() == p.label {
				e.labels[p.label] = true
			}
		}
	}
	all = slices.DeleteFunc(all, func(e *ending) bool {
		return vagueWords[e.name] && (e.count < len(o.occurrences) || len(e.labels) < 2 && len(whole) < 3)
	})
	slices.SortStableFunc(all, func(a, b *ending) int {
		return cmp.Or(b.count-a.count, min(len(b.labels), 1)-min(len(a.labels), 1))
	})
	var names []string
	for _, e := range all {
		if e.count == all[0].count || e.count*2 >= len(o.occurrences) {
			names = append(names, e.name)
		}
	}
	return names
}

// enclosingLabels returns the labels around all occurrences of an object.
func (o *object) enclosingLabels() map[string]bool {
	labels, seen := map[string]bool{}, map[*occurrence]bool{}
	for _, p := range o.occurrences {
		for p = p.parent; p != nil && !seen[p]; p = p.parent {
			labels[p.label], seen[p] = true, true
		}
	}
	return labels
}
