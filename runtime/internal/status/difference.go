package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// changes are the JSON patch operations between two statuses.
type changes struct {
	steps []jsonpatch.Operation
	// isExact means that an operation overwrites values that it does not test: a condition
	// that came meanwhile would be lost.
	isExact bool
}

// patch returns the JSON patch for a parent. The API server refuses it if another object has
// the parent's name now. If the changes have to be exact, it refuses the patch whenever the
// parent has changed.
func (c changes) patch(parent client.Object) ([]byte, error) {
	steps := c.steps
	if c.isExact {
		steps = slices.Insert(slices.Clone(steps), 0, jsonpatch.Operation{Op: "test", Path: "/metadata/resourceVersion", Value: parent.GetResourceVersion()})
	}
	return jsonpatch.For(parent.GetUID(), steps...)
}

// difference holds two states of a status, by the JSON of their fields.
type difference struct {
	before, after map[string]json.RawMessage
	isFirst       bool // there is no status yet
}

// compareStatuses returns the difference between two statuses.
func compareStatuses(before, after any) (made difference, err error) {
	if made.before, err = parseFields(before); err != nil {
		return difference{}, err
	}
	if made.after, err = parseFields(after); err != nil {
		return difference{}, err
	}
	zero := func(status any) bool { return reflect.ValueOf(status).Elem().IsZero() }
	made.isFirst = zero(before) && !zero(after) // fields may be written although they are zero
	return made, nil
}

// changes returns the operations between two statuses, none when they mean the same. They
// change whole fields and leave other fields alone. Of lists like the conditions they change
// single items, so that items of others stay. The parts in skip stay, too, unless they are
// in a field that changes as a whole and has other parts that change.
func (d difference) changes(skip map[part]bool) (made changes) {
	was, is := d.before, d.after
	if d.isFirst && len(is) > 0 {
		if d.skipsAll("", skip) {
			return changes{}
		}
		return changes{steps: []jsonpatch.Operation{{Op: "add", Path: "/status", Value: is}}, isExact: true}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if !bytes.Equal(was[name], is[name]) {
			made.setField(d, name, skip)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[name]; !ok && !d.skipsAll(name, skip) {
			made.steps = append(made.steps, jsonpatch.Operation{Op: "remove", Path: "/status/" + jsonpatch.Escape(name)})
			made.isExact = made.isExact || isTypedList(was[name])
		}
	}
	return made
}

// skipsAll reports whether every changed part of a field is in skip; of the whole status
// where field is empty.
func (d difference) skipsAll(field string, skip map[part]bool) bool {
	if len(skip) == 0 {
		return false
	}
	was, is, skipped := hashParts(d.before), hashParts(d.after), false
	for _, names := range []map[part]uint64{was, is} {
		for name := range names {
			if field != "" && name.field != field || was[name] == is[name] {
				continue
			}
			if !skip[name] {
				return false
			}
			skipped = true
		}
	}
	return skipped
}

// setField changes a field, which was absent if it was nil.
func (c *changes) setField(d difference, field string, skip map[part]bool) {
	path, was, is := "/status/"+jsonpatch.Escape(field), d.before[field], d.after[field]
	if steps, ok := diffItems(path, was, is, func(kind string) bool { return skip[part{field, kind}] }); ok {
		c.steps = append(c.steps, steps...)
		return
	}
	if d.skipsAll(field, skip) {
		return
	}
	c.steps = append(c.steps, jsonpatch.Operation{Op: "add", Path: path, Value: is})
	c.isExact = c.isExact || isTypedList(was) || was == nil && isTypedList(is)
}

// item is an item of a list whose items differ by their types.
type item struct {
	json.RawMessage
	kind   string
	fields map[string]json.RawMessage
}

// diffItems returns the operations between two lists whose items differ by their types,
// without those to skip. It reports false for other lists, and where items change places.
func diffItems(path string, was, is json.RawMessage, skip func(kind string) bool) ([]jsonpatch.Operation, bool) {
	before, wasTyped := parseTypedItems(was)
	after, isTyped := parseTypedItems(is)
	if !wasTyped || !isTyped {
		return nil, false
	}
	positions := make(map[string]int, len(after))
	for i, new := range after {
		positions[new.kind] = i
	}
	var replaced, removed []jsonpatch.Operation
	kept := 0
	for i, old := range before {
		at := fmt.Sprintf("%s/%d", path, i)
		same := jsonpatch.Operation{Op: "test", Path: at + "/type", Value: old.kind}
		now, stays := positions[old.kind]
		switch {
		case !stays:
			if !skip(old.kind) {
				removed = append(removed, jsonpatch.Operation{Op: "remove", Path: at}, same)
			}
			continue
		case now != kept:
			return nil, false
		case !bytes.Equal(old.RawMessage, after[now].RawMessage) && !skip(old.kind):
			replaced = append(replaced, same, jsonpatch.Operation{Op: "replace", Path: at, Value: after[now].RawMessage})
		}
		kept++
	}
	slices.Reverse(removed) // the last goes first, so that those before stay where they are
	steps := slices.Concat(replaced, removed)
	for _, added := range after[kept:] {
		if !skip(added.kind) {
			steps = append(steps, jsonpatch.Operation{Op: "add", Path: path + "/-", Value: added.RawMessage})
		}
	}
	return steps, true
}

// isTypedList reports whether a value is a list whose items differ by their types.
func isTypedList(list json.RawMessage) bool {
	_, typed := parseTypedItems(list)
	return typed
}

// parseTypedItems returns the items of a list. It reports false for anything but a list of
// objects that have different types.
func parseTypedItems(list json.RawMessage) ([]item, bool) {
	var raw []json.RawMessage
	if len(list) == 0 || list[0] != '[' || json.Unmarshal(list, &raw) != nil {
		return nil, false
	}
	items, seen := make([]item, len(raw)), map[string]bool{}
	for i, each := range raw {
		var fields map[string]json.RawMessage
		var kind string
		if json.Unmarshal(each, &fields) != nil || json.Unmarshal(fields["type"], &kind) != nil || kind == "" || seen[kind] {
			return nil, false
		}
		items[i], seen[kind] = item{each, kind, fields}, true
	}
	return items, true
}

// parseFields returns the JSON of each field that is set in a status.
func parseFields(status any) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return fields, nil
}

// paths returns the paths of the fields that are changed.
func (c changes) paths() []string {
	var paths []string
	for _, step := range c.steps {
		path := strings.ReplaceAll(strings.TrimPrefix(step.Path, "/"), "/", ".")
		if step.Op != "test" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
