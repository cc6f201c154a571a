package arbitrary

import (
	"encoding/base64"
	"slices"
	"time"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/runtime"
)

// equalizer repairs equality and membership.
type equalizer struct{ *repair }

// equal makes two expressions equal, or different.
func (r equalizer) equal(a, b ast.Expr, s scope, want bool) {
	sides := [2]ast.Expr{a, b}
	if r.maker.chance(2) {
		sides = [2]ast.Expr{b, a}
	}
	same := func(difference float64) bool { return (difference == 0) == want }
	aims := []float64{0}
	if !want {
		aims = []float64{1, -1, 2, -2}
	}
	if r.maker.chance(2) && balancer(r).balance(a, b, s, same, aims) {
		return
	}
	for i := range sides {
		if r.equalTo(sides[i], sides[1-i], s, want) {
			return
		}
	}
	balancer(r).balance(a, b, s, same, aims)
}

// equalTo changes one side.
func (r equalizer) equalTo(side, other ast.Expr, s scope, want bool) bool {
	p := r.rule.place(side, s)
	value, err := r.rule.value(other, s)
	if err != nil {
		q := r.rule.place(other, s)
		if q == nil || !r.ensure(q) {
			return false
		}
		if value, err = r.rule.value(other, s); err != nil {
			return false
		}
	}
	if p == nil {
		flag, isBool := value.(types.Bool)
		return isBool && side.Kind() == ast.CallKind && r.make(side, s, bool(flag) == want)
	}
	if want {
		return r.put(p, r.raw(other, s, value))
	}
	return r.other(p, func(v any) bool { return !isSameJSON(v, jsonValue(value)) })
}

// raw returns the value of an expression as it is in the object.
func (r equalizer) raw(e ast.Expr, s scope, value ref.Val) any {
	if p := r.rule.place(e, s); p != nil {
		if v, there := p.get(); there {
			return runtime.DeepCopyJSONValue(v)
		}
	}
	return jsonValue(value)
}

// other sets another value that fits.
func (r equalizer) other(p *place, fits func(any) bool) bool {
	for range 20 {
		v, ok := r.maker.renewed(p)
		if ok && v != nil && fits(v) {
			return r.put(p, v)
		}
	}
	return false
}

// jsonValue returns a value of CEL as JSON has it.
func jsonValue(v ref.Val) any {
	switch v := v.(type) {
	case types.Bool:
		return bool(v)
	case types.Int:
		return int64(v)
	case types.Uint:
		return int64(v)
	case types.Double:
		return float64(v)
	case types.String:
		return string(v)
	case types.Bytes:
		return base64.StdEncoding.EncodeToString(v)
	case types.Duration:
		return v.Duration.String()
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano)
	case traits.Mapper:
		out := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if name, isText := key.(types.String); isText {
				out[unescapeField(string(name))] = jsonValue(v.Get(key))
			}
		}
		return out
	case traits.Lister:
		return listItems(v)
	}
	return nil
}

func listItems(v traits.Lister) []any {
	out := []any{}
	for it := v.Iterator(); it.HasNext() == types.True; {
		out = append(out, jsonValue(it.Next()))
	}
	return out
}

// member makes a value one of a list or the key of a map, or none of them.
func (r equalizer) member(element, list ast.Expr, s scope, want bool) {
	within := r.rule.place(list, s)
	p := r.rule.place(element, s)
	value, err := r.rule.value(element, s)
	if err != nil && p != nil && r.ensure(p) {
		value, err = r.rule.value(element, s)
	}
	if within != nil && (p == nil || r.maker.chance(2)) && err == nil {
		if want {
			r.insert(within, jsonValue(value))
		} else {
			r.remove(within, jsonValue(value))
		}
		return
	}
	if p == nil {
		return
	}
	all, err := r.rule.value(list, s)
	if err != nil {
		return
	}
	var choices []any
	switch all := all.(type) {
	case traits.Mapper:
		fields, _ := jsonValue(all).(map[string]any)
		for _, key := range sortedKeys(fields) {
			choices = append(choices, key)
		}
	case traits.Lister:
		choices = listItems(all)
	}
	if !want {
		r.other(p, func(v any) bool { return !slices.ContainsFunc(choices, func(c any) bool { return isSameJSON(c, v) }) })
		return
	}
	r.maker.random.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	for _, choice := range choices {
		if r.put(p, choice) {
			return
		}
	}
}

// insert adds an item or a key.
func (r equalizer) insert(p *place, v any) {
	if !r.ensure(p) {
		return
	}
	switch around := valueOf(p).(type) {
	case []any:
		if p.node.items == nil || !r.maker.holds(p.node.items.own, v) {
			return
		}
		if s := p.node.schema; s.MaxItems != nil && int64(len(around)) >= *s.MaxItems && len(around) > 0 {
			p.item(r.maker.random.IntN(len(around))).set(v)
			return
		}
		p.set(append(slices.Clone(around), v))
	case map[string]any:
		if name, isText := v.(string); isText && !isThereIn(around, name) {
			r.maker.fill(p, name)
		}
	}
}

func isThereIn(fields map[string]any, name string) bool {
	_, there := fields[name]
	return there
}

// remove takes an item or a key away.
func (r equalizer) remove(p *place, v any) {
	switch around := valueOf(p).(type) {
	case []any:
		p.set(slices.DeleteFunc(slices.Clone(around), func(item any) bool { return isSameJSON(item, v) }))
	case map[string]any:
		if name, isText := v.(string); isText {
			delete(around, name)
		}
	}
}
