package explore

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// evidence is the state of a child around a mutation.
type evidence struct {
	desired map[string]any
	shape   shape
	manager string                     // the operator's
	before  *unstructured.Unstructured // before the mutation
	written *unstructured.Unstructured // after the mutation
	after   *unstructured.Unstructured // after the operator has settled; nil: the child is gone
	// revised: the desired state has changed since before, by annotations alone.
	revised bool
	earlier map[string]any // what was desired before, where an author has changed it
	asUs    bool           // the mutation was made under the operator's name
	// recreates: the child's update strategy deletes it and creates it again.
	recreates bool
}

// findProblems returns the problems after a mutation. Desired fields must be as before, and other
// fields as the mutation left them.
func (e evidence) findProblems(m alteration) []string {
	if e.after == nil {
		return []string{"the child is gone"}
	}
	var found []string
	before, written, after := contentOf(e.before), contentOf(e.written), contentOf(e.after)
	dropOthers(e.before, e.manager, written, after) // the mutation may have wiped managedFields
	dropOthers(e.after, e.manager, written, after)
	revision.remove(before) // what it is to be, others say
	compared := mutationResult{secret: e.after.GetKind() == "Secret"}
	for _, name := range slices.Sorted(maps.Keys(e.desired)) {
		if !isContent(name) {
			continue
		}
		at := path{{field: name}}
		compared.compareRestored(at, e.desired[name], before[name], after[name], e.shape.field(name))
	}
	compared.compareOwnership(e, before, after)
	switch {
	case m.family == copiesOver || m.family == strips || m.family == alters:
	case e.before.GetUID() != e.after.GetUID():
		if !e.recreates {
			found = append(found, "the child was recreated")
		}
	case m.family != rekeys && !e.asUs:
		compared.adds = m.family == extends || m.family == shares
		compared.compareUntouched(nil, e.withOwnKeys(), before, written, after, e.shape)
	}
	return append(found, compared.found...)
}

func isContent(name string) bool {
	return name != "apiVersion" && name != "kind" && name != "status"
}

// withOwnKeys returns the desired state with the runtime's own labels, annotations and owner
// reference.
func (e evidence) withOwnKeys() map[string]any {
	desired := deepCopy(e.desired).(map[string]any)
	metadata, _ := desired["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		desired["metadata"] = metadata
	}
	metadata["ownerReferences"], metadata["finalizers"] = []any{}, []any{}
	for _, field := range []string{"labels", "annotations"} {
		said, _ := metadata[field].(map[string]any)
		if said == nil {
			said = map[string]any{}
			metadata[field] = said
		}
		for _, key := range ownKeys(e.before, e.desired, e.manager, field) {
			said[key] = ""
		}
	}
	return desired
}

// mutationResult collects the differences after a mutation.
type mutationResult struct {
	secret bool // no value may be shown
	adds   bool // what the mutation added must stay, too
	found  []string
}

func (j *mutationResult) addDifference(at path, want, got any) {
	if j.secret {
		want, got = "(a value)", "(another)"
	}
	j.found = append(j.found, fmt.Sprintf("%s is %s, want %s", at, orAbsent(got), orAbsent(want)))
}

func orAbsent(value any) string {
	if value == nil {
		return "absent"
	}
	return diff.Show(value)
}

// compareRestored adds desired fields that were not restored.
func (j *mutationResult) compareRestored(at path, desired, before, after any, s shape) {
	if before == nil {
		return // the API server derives it from another field
	}
	object, isObject := desired.(map[string]any)
	list, isList := desired.([]any)
	switch {
	case isObject && !s.isAtomic(desired) && len(object) > 0:
		for _, name := range slices.Sorted(maps.Keys(object)) {
			below := step{field: name}
			was, _ := below.get(before)
			is, _ := below.get(after)
			j.compareRestored(at.with(below), object[name], was, is, s.field(name))
		}
	case isObject && len(object) == 0 && after != nil:
	case isList && !s.isAtomic(desired):
		for i, item := range list {
			below := s.stepTo(item, i)
			was, _ := below.get(before)
			is, _ := below.get(after)
			j.compareRestored(at.with(below), item, was, is, s.items())
		}
	case !reflect.DeepEqual(before, after):
		j.addDifference(at, before, after)
	}
}

// compareOwnership adds missing metadata that makes the child its parent's.
func (j *mutationResult) compareOwnership(e evidence, before, after map[string]any) {
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range ownKeys(e.before, e.desired, e.manager, field) {
			at := path{{field: "metadata"}, {field: field}, {field: key}}
			was, _ := at.get(before)
			is, ok := at.get(after)
			if !ok && strings.HasSuffix(key, "/desired-hash") {
				continue // values are compared without it
			}
			if !ok || !e.revised && !reflect.DeepEqual(was, is) {
				j.addDifference(at, was, is)
			}
		}
	}
	references := path{{field: "metadata"}, {field: "ownerReferences"}}
	was, _ := references.get(before)
	if is, _ := references.get(after); was != nil && !reflect.DeepEqual(was, is) {
		j.addDifference(references, was, is)
	}
}

// compareUntouched adds fields that are not desired and not as the mutation left them.
func (j *mutationResult) compareUntouched(at path, desired, before, written, after any, s shape) {
	if desired != nil && (s.isAtomic(desired) || !isContainer(desired)) {
		return
	}
	switch written := written.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(written)) {
			below := step{field: name}
			said, _ := below.get(desired)
			was, _ := below.get(before)
			is, _ := below.get(after)
			j.compareUntouched(at.with(below), said, was, written[name], is, s.field(name))
		}
	case []any:
		if s.isAtomic(written) {
			j.compareLeaf(at, before, written, after)
			return
		}
		for i, item := range written {
			below := s.stepTo(item, i)
			said, _ := below.get(desired)
			was, _ := below.get(before)
			is, _ := below.get(after)
			j.compareUntouched(at.with(below), said, was, item, is, s.items())
		}
	default:
		j.compareLeaf(at, before, written, after)
	}
}

func isContainer(value any) bool {
	_, isObject := value.(map[string]any)
	_, isList := value.([]any)
	return isObject || isList
}

func (j *mutationResult) compareLeaf(at path, before, written, after any) {
	if (j.adds || reflect.DeepEqual(before, written)) && !reflect.DeepEqual(written, after) {
		j.addDifference(at, written, after)
	}
}
