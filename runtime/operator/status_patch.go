package operator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// changes are the steps between two statuses.
type changes struct {
	steps []jsonpatch.Operation
	// exact says that a step overwrites what it does not look at: a condition that
	// came meanwhile would be lost.
	exact bool
}

// patch is the JSON patch for a parent. It is refused if the parent has been
// replaced by another of its name, and if it has to be exact, whenever the parent
// is no longer what was seen.
func (c changes) patch(parent client.Object) ([]byte, error) {
	steps := c.steps
	if c.exact {
		steps = slices.Insert(slices.Clone(steps), 0, jsonpatch.Operation{Op: "test", Path: "/metadata/resourceVersion", Value: parent.GetResourceVersion()})
	}
	return jsonpatch.For(parent.GetUID(), steps...)
}

// statuses are two states of a status by their fields' JSON: as it was, and as it is to be.
type statuses struct {
	was, is map[string]json.RawMessage
	first   bool // there is none yet
}

func compare(before, after any) (made statuses, err error) {
	if made.was, err = jsonFields(before); err != nil {
		return statuses{}, err
	}
	if made.is, err = jsonFields(after); err != nil {
		return statuses{}, err
	}
	zero := func(status any) bool { return reflect.ValueOf(status).Elem().IsZero() }
	made.first = zero(before) && !zero(after) // fields may be written although they are zero
	return made, nil
}

// changes returns the steps between two statuses, none when they mean the
// same. They change whole fields and leave the others alone. Of lists like the
// conditions they change single items, so that those of others stay as they are.
// The parts in skip stay, too, unless they are in a field that changes as a whole and
// has others that change.
func (s statuses) changes(skip map[part]bool) (made changes) {
	was, is := s.was, s.is
	if s.first && len(is) > 0 {
		if s.skips("", skip) {
			return changes{}
		}
		return changes{steps: []jsonpatch.Operation{{Op: "add", Path: "/status", Value: is}}, exact: true}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if !bytes.Equal(was[name], is[name]) {
			made.set(s, name, skip)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[name]; !ok && !s.skips(name, skip) {
			made.steps = append(made.steps, jsonpatch.Operation{Op: "remove", Path: "/status/" + jsonpatch.Escape(name)})
			made.exact = made.exact || isTyped(was[name])
		}
	}
	return made
}

// skips reports whether every part of a field that changes is in skip; of the whole status
// where field is empty.
func (s statuses) skips(field string, skip map[part]bool) bool {
	if len(skip) == 0 {
		return false
	}
	was, is, skipped := partsOf(s.was), partsOf(s.is), false
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

// set changes a field, which was absent if it was nil.
func (c *changes) set(s statuses, field string, skip map[part]bool) {
	path, was, is := "/status/"+jsonpatch.Escape(field), s.was[field], s.is[field]
	if steps, ok := itemSteps(path, was, is, func(kind string) bool { return skip[part{field, kind}] }); ok {
		c.steps = append(c.steps, steps...)
		return
	}
	if s.skips(field, skip) {
		return
	}
	c.steps = append(c.steps, jsonpatch.Operation{Op: "add", Path: path, Value: is})
	c.exact = c.exact || isTyped(was) || was == nil && isTyped(is)
}

// item is one of a list whose items their types tell apart.
type item struct {
	json.RawMessage
	kind   string
	fields map[string]json.RawMessage
}

// itemSteps returns the steps between two lists whose items their types tell
// apart, but for those to skip. It reports false for any other lists, and where items
// change places.
func itemSteps(path string, was, is json.RawMessage, skip func(kind string) bool) ([]jsonpatch.Operation, bool) {
	before, wasTyped := typedItems(was)
	after, isTyped := typedItems(is)
	if !wasTyped || !isTyped {
		return nil, false
	}
	var replaced, removed []jsonpatch.Operation
	kept := 0
	for i, old := range before {
		at := fmt.Sprintf("%s/%d", path, i)
		same := jsonpatch.Operation{Op: "test", Path: at + "/type", Value: old.kind}
		now := slices.IndexFunc(after, func(new item) bool { return new.kind == old.kind })
		switch {
		case now < 0:
			if !skip(old.kind) { // the last goes first, so that those before stay where they are
				removed = append([]jsonpatch.Operation{same, {Op: "remove", Path: at}}, removed...)
			}
			continue
		case now != kept:
			return nil, false
		case !bytes.Equal(old.RawMessage, after[now].RawMessage) && !skip(old.kind):
			replaced = append(replaced, same, jsonpatch.Operation{Op: "replace", Path: at, Value: after[now].RawMessage})
		}
		kept++
	}
	steps := slices.Concat(replaced, removed)
	for _, added := range after[kept:] {
		if !skip(added.kind) {
			steps = append(steps, jsonpatch.Operation{Op: "add", Path: path + "/-", Value: added.RawMessage})
		}
	}
	return steps, true
}

func isTyped(list json.RawMessage) bool {
	_, typed := typedItems(list)
	return typed
}

// typedItems returns the items of a list. It reports false for anything but a
// list of objects that have a type each, and each another.
func typedItems(list json.RawMessage) ([]item, bool) {
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

// jsonFields returns the JSON of each field that a status sets.
func jsonFields(status any) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return fieldsOf(text)
}

func fieldsOf(text []byte) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return fields, nil
}
