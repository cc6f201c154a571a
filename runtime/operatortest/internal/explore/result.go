package explore

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// evidence is the state of a child around a mutation.
type evidence struct {
	desired map[string]any
	kind    *schemas.Kind
	manager string                     // the operator's
	before  *unstructured.Unstructured // before the mutation
	written *unstructured.Unstructured // after the mutation
	after   *unstructured.Unstructured // after the operator has settled; nil: the child is gone
	// revised: the desired state has changed since before.
	revised  bool
	moved    fieldpath.Set    // the fields that Sync itself desires otherwise by now
	earlier  map[string]any   // what was desired before, where an author has changed it
	asUs     bool             // the mutation was made under the operator's name
	handOver []fieldpath.Path // fields that the child keeps when they are not desired
	// recreates: the child's update strategy deletes it and creates it again.
	recreates bool
	// waits: the child's update strategy leaves an outdated child as it is until somebody deletes it.
	waits bool
}

// findMoved finds the fields that Sync desires otherwise than before the mutation, such as the role of one of
// several Pods: where it answers differently, the child is not as before.
func (e *evidence) findMoved(before, now map[string]any) error {
	compared, err := e.kind.Compare(before, now)
	if err != nil {
		return err
	}
	e.moved = *compared.Added.Union(compared.Modified).Union(compared.Removed)
	e.revised = e.revised || !e.moved.Empty()
	return nil
}

// findProblems returns the problems after a mutation. Desired fields must be as before, and other
// fields as the mutation left them. What the cluster's own controllers own may change.
func (e evidence) findProblems(m alteration) ([]string, error) {
	if e.after == nil {
		return []string{"the child is gone"}, nil
	}
	before, after := contentOf(e.before), contentOf(e.after)
	revision.Remove(before) // what it is to be, others say
	desired, err := e.kind.Fields(e.desired)
	if err != nil {
		return nil, err
	}
	restored, err := e.kind.Compare(before, after)
	if err != nil {
		return nil, err
	}
	problems := fieldProblems{secret: isSecret(e.after)}
	problems.add(e.withoutOthers(differentFields(restored).Intersection(desired).Difference(&e.moved)), before, after)
	e.compareOwnership(&problems, before, after)
	switch {
	case m.family == copiesOver || m.family == strips || m.family == alters:
	case e.before.GetUID() != e.after.GetUID():
		if !e.recreates {
			problems.found = append(problems.found, "the child was recreated")
		}
	case m.family != rekeys && !e.asUs:
		err = e.compareUntouched(&problems, m, desired)
	}
	return problems.found, err
}

// differentFields returns the fields that the second object of a comparison lacks, or has with another
// value.
func differentFields(compared *typed.Comparison) *fieldpath.Set {
	return compared.Removed.Union(compared.Modified)
}

// withoutOthers returns a set without the fields that the cluster's own controllers own.
func (e evidence) withoutOthers(fields *fieldpath.Set) *fieldpath.Set {
	for _, object := range []*unstructured.Unstructured{e.before, e.after} { // the mutation may have wiped managedFields
		fields = withoutOthers(fields, object, e.manager)
	}
	return fields
}

// withoutOthers returns the leaves of a set without the fields of an object that the cluster's own
// controllers own.
func withoutOthers(fields *fieldpath.Set, object *unstructured.Unstructured, manager string) *fieldpath.Set {
	others := schemas.OwnedFields(object, func(owner string) bool {
		return owner != manager && !schemas.IsNobody(owner) && !strings.Contains(owner, foreignPrefix)
	})
	return fields.Leaves().RecursiveDifference(others.Leaves())
}

// compareUntouched adds the fields that are not desired and not as the mutation left them.
func (e evidence) compareUntouched(problems *fieldProblems, m alteration, desired *fieldpath.Set) error {
	before, written, after := contentOf(e.before), contentOf(e.written), contentOf(e.after)
	for _, content := range []map[string]any{before, written, after} {
		e.dropOwnMetadata(content, func(string) bool { return false })
	}
	changed, err := e.kind.Compare(written, after)
	if err != nil {
		return err
	}
	different := differentFields(changed).Difference(desired).Difference(&e.moved)
	if m.family != extends && m.family != shares { // else what the mutation added must stay, too
		mutated, err := e.kind.Compare(before, written)
		if err != nil {
			return err
		}
		different = different.Difference(mutated.Added.Union(mutated.Modified))
	}
	problems.add(e.withoutOthers(different), written, after)
	return nil
}

// dropOwnMetadata removes the metadata that makes an object a child, and further labels and
// annotations.
func (e evidence) dropOwnMetadata(content map[string]any, isDropped func(key string) bool) {
	metadata := content["metadata"].(map[string]any)
	delete(metadata, "ownerReferences")
	delete(metadata, "finalizers")
	for _, field := range []string{"labels", "annotations"} {
		own := e.ownKeys(field)
		texts, _ := metadata[field].(map[string]any)
		maps.DeleteFunc(texts, func(key string, _ any) bool { return isDropped(key) || slices.Contains(own, key) })
		if len(texts) == 0 {
			delete(metadata, field)
		}
	}
}

// ownKeys returns the labels or annotations of the child that the runtime has written and that were
// not desired.
func (e evidence) ownKeys(field string) []string {
	desired := e.desired
	if e.earlier != nil {
		desired = e.earlier
	}
	return ownKeys(e.before, desired, e.manager, field)
}

// compareOwnership adds missing metadata that makes the child its parent's.
func (e evidence) compareOwnership(problems *fieldProblems, before, after map[string]any) {
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range e.ownKeys(field) {
			at := schemas.PathOf("metadata", field, key)
			was, is := at.Value(before), at.Value(after)
			if e.isOptional(key, is) {
				continue
			}
			if is == diff.Absent || !e.revised && was != is {
				problems.addField(at, was, is)
			}
		}
	}
	references := schemas.PathOf("metadata", "ownerReferences")
	if was, is := references.Value(before), references.Value(after); was != diff.Absent && !reflect.DeepEqual(was, is) {
		problems.addField(references, was, is)
	}
}

// isOptional reports whether a child may do without a label or an annotation of the runtime, or have another value of it:
// the next write puts it back. Values are compared without the hash, and that of an outdated child says only that it is
// outdated. A child that does not name itself is known by its managedFields.
func (e evidence) isOptional(key string, is any) bool {
	isHash := strings.HasSuffix(key, "/desired-hash")
	return isHash && e.waits || is == diff.Absent && (isHash || strings.HasSuffix(key, "/created-as"))
}

// fieldProblems are fields that are not as they should be.
type fieldProblems struct {
	secret bool // no value may be shown
	found  []string
}

// add adds fields in which an object differs from what it should be.
func (p *fieldProblems) add(fields *fieldpath.Set, want, got map[string]any) {
	for at := range schemas.Topmost(fields) {
		p.addField(at, at.Value(want), at.Value(got))
	}
}

func (p *fieldProblems) addField(at schemas.Path, want, got any) {
	p.found = append(p.found, fmt.Sprintf("%s is %s, want %s", at, p.show(got, "(another)"), p.show(want, "(a value)")))
}

// show returns a value, or what stands in its place if it is secret.
func (p *fieldProblems) show(value any, hidden string) string {
	switch {
	case value == diff.Absent:
		return "absent"
	case p.secret:
		return hidden
	}
	return diff.Show(value)
}

func isSecret(object *unstructured.Unstructured) bool { return object.GetKind() == "Secret" }

// contentOf returns the content that clients write: an object without its status, its system
// metadata, and the annotation in which the API server counts the templates of a DaemonSet.
func contentOf(object *unstructured.Unstructured) map[string]any {
	content := runtime.DeepCopyJSON(object.Object)
	for _, name := range []string{"status", "apiVersion", "kind"} {
		delete(content, name)
	}
	metadata, _ := content["metadata"].(map[string]any)
	maps.DeleteFunc(metadata, func(name string, _ any) bool {
		return !slices.Contains([]string{"labels", "annotations", "ownerReferences", "finalizers"}, name)
	})
	if annotations, found := metadata["annotations"].(map[string]any); found {
		delete(annotations, appsv1.DeprecatedTemplateGeneration)
	}
	return content
}

func sameContent(a, b *unstructured.Unstructured) bool {
	return reflect.DeepEqual(contentOf(a), contentOf(b))
}
