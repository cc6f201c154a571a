package arbitrary

import (
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

var unescape = apiservercel.Unescape

// place is where a value of an object is or could be: a field, a value of a map or an item of a
// list.
type place struct {
	node   *node
	parent *place // nil: the whole
	key    string
	index  int // of an item; -1: of a field or a value of a map
	whole  *any
}

func (p *place) get() (any, bool) {
	if p.parent == nil {
		return *p.whole, true
	}
	around, there := p.parent.get()
	if !there {
		return nil, false
	}
	if p.index < 0 {
		fields, _ := around.(map[string]any)
		v, found := fields[p.key]
		return v, found
	}
	list, _ := around.([]any)
	if p.index >= len(list) {
		return nil, false
	}
	return list[p.index], true
}

// set puts a value where its parent is there.
func (p *place) set(v any) bool {
	if p.parent == nil {
		*p.whole = v
		return true
	}
	around, _ := p.parent.get()
	switch around := around.(type) {
	case map[string]any:
		around[p.key] = v
		return true
	case []any:
		if p.index >= 0 && p.index < len(around) {
			around[p.index] = v
			return true
		}
	}
	return false
}

// drop takes a field, a value of a map or an item away.
func (p *place) drop() {
	if p.parent == nil {
		return
	}
	around, _ := p.parent.get()
	switch around := around.(type) {
	case map[string]any:
		delete(around, p.key)
	case []any:
		if p.index < len(around) {
			p.parent.set(slices.Delete(slices.Clone(around), p.index, p.index+1))
		}
	}
}

// child returns the place of a field or of a value of a map, nil where the schema has none.
func (p *place) child(key string) *place {
	n := p.node.child(key)
	if n == nil {
		return nil
	}
	return &place{node: n, parent: p, key: key, index: -1}
}

// item returns the place of an item.
func (p *place) item(i int) *place {
	if p.node.items == nil {
		return nil
	}
	return &place{node: p.node.items, parent: p, index: i}
}

// elements returns the places of the items of a list and of the values of a map or an object, in a
// fixed order.
func (p *place) elements() []*place {
	var all []*place
	v, _ := p.get()
	switch v := v.(type) {
	case []any:
		for i := range v {
			if item := p.item(i); item != nil {
				all = append(all, item)
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if child := p.child(key); child != nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// optional reports whether the value may go.
func (p *place) optional() bool {
	if p.parent == nil {
		return false
	}
	return p.index >= 0 || !slices.Contains(p.parent.node.schema.Required, p.key)
}

// val returns what a rule sees.
func (p *place) val() ref.Val {
	v, there := p.get()
	if !there {
		return types.NewErr("no such key: %s", p.key)
	}
	return cel.UnstructuredToVal(v, p.node.structural)
}
