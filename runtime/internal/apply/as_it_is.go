package apply

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// An object that is adopted as it is gets what makes it the parent's child, and keeps its fields. The
// annotation AdoptedKey records what was desired then: the hash of each desired field. A field that is
// desired as recorded is no part of the desired state, so that it is neither written, owned nor
// repaired. One that is desired otherwise is applied, and leaves the record in the same write.
//
//	the field is desired with a recorded value    it stays as the object has it
//	with another value, or it is a new one        it is applied, and never gets into the record again
//	it is not desired any more                    it stays, because this field manager does not own it
//
// Fields are those of the top level and one level below, such as spec.replicas and spec.template, and
// single labels and annotations. A field that depends on another, such as the items of a list, is
// therefore applied as a whole.
//
// The applied state has the record, too, so that it is restored if somebody edits it. After a restart
// the annotation counts if nobody else has written it.

// isAdoptedAsItIs reports whether the child, once adopted, keeps fields that are desired as they were.
// A strategy that never changes a child needs no record for that.
func (d Desired) isAdoptedAsItIs() bool {
	return d.AdoptedKey != "" && d.Adopt == declared.AdoptAsItIs && d.Update.Rules().RepairsDrift
}

// keptBy returns the desired state without the fields that a live object keeps since it was adopted as
// it is.
func (d Desired) keptBy(live client.Object, state *AppliedState, manager string) Desired {
	if live == nil || !d.isAdoptedAsItIs() {
		return d
	}
	if last := state.childWithUID(d.Key(), live); last != nil {
		return d.withoutRecorded(last.record)
	}
	if text := live.GetAnnotations()[d.AdoptedKey]; text != "" && managedfields.MayHaveAnnotated(live, manager, d.AdoptedKey) {
		return d.withoutRecorded(text)
	}
	return d
}

// withoutRecorded returns the desired state without the fields that are desired as a record says. What
// is left of the record is a part of it.
func (d Desired) withoutRecorded(record string) Desired {
	if record == "" {
		return d
	}
	whole := d.wholeContent()
	d.record, d.whole, d.Source = record, whole, nil
	d.content = sync.OnceValue(func() map[string]any {
		content, kept := d.splitRecorded(whole(), record)
		if metadata := ensureObject(content, "metadata"); len(kept) > 0 { // a copy
			ensureObject(metadata, "annotations")[d.AdoptedKey] = recordOf(kept)
		}
		return content
	})
	return d
}

// wholeContent returns the content of a new child.
func (d Desired) wholeContent() func() map[string]any {
	if d.whole != nil {
		return d.whole
	}
	return d.content
}

// asNew returns the desired state of a new child.
func (d Desired) asNew() Desired {
	d.content, d.whole, d.record = d.wholeContent(), nil, ""
	return d
}

// recordLeft returns the record that the desired state writes. It is empty if there is none.
func (d Desired) recordLeft() string {
	if d.record == "" {
		return ""
	}
	text, _ := valueAt(d.content(), []string{"metadata", "annotations", d.AdoptedKey}).(string)
	return text
}

// desiredField is a field of the desired state, as a record knows it.
type desiredField struct {
	path []string
	hash string
}

// splitRecorded returns the content without the fields whose hash is in a record, and these fields.
func (d Desired) splitRecorded(content map[string]any, record string) (rest map[string]any, kept []desiredField) {
	recorded := map[string]bool{}
	for hash := range strings.SplitSeq(record, ",") {
		recorded[hash] = true
	}
	return d.splitFields(content, func(field desiredField) bool { return recorded[field.hash] })
}

// splitFields returns the content without the fields that are to be kept, and these fields. It leaves
// the identity of the child, and what makes it the parent's, in the content.
func (d Desired) splitFields(content map[string]any, isKept func(desiredField) bool) (rest map[string]any, kept []desiredField) {
	s := fieldSplit{isKept: isKept, marks: map[string]any{}}
	if d.AddOwnerMetadata != nil {
		d.AddOwnerMetadata(s.marks)
	}
	if d.DesiredKey != "" {
		ensureObject(s.marks, "annotations")[d.DesiredKey] = d.desiredText(content)
	}
	rest = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		object, isObject := content[name].(map[string]any)
		switch {
		case name == "apiVersion" || name == "kind":
			rest[name] = content[name]
		case name == "metadata":
			rest[name] = s.splitMetadata(object)
		case isObject && len(object) > 0:
			if left := s.splitObject(object, nil, name); len(left) > 0 {
				rest[name] = left
			}
		case !s.keeps(content[name], name):
			rest[name] = content[name]
		}
	}
	return rest, s.kept
}

// fieldSplit is a walk over the fields of a content.
type fieldSplit struct {
	isKept func(desiredField) bool
	marks  map[string]any // the metadata that makes the child the parent's
	kept   []desiredField
}

// keeps reports whether the field at a path is to be kept, and collects it.
func (s *fieldSplit) keeps(value any, path ...string) bool {
	field := desiredField{path, hashOfField(path, value)}
	isKept := s.isKept(field)
	if isKept {
		s.kept = append(s.kept, field)
	}
	return isKept
}

// splitObject returns an object without the fields that are to be kept. marks are fields that are not.
func (s *fieldSplit) splitObject(object map[string]any, marks any, path ...string) map[string]any {
	left := maps.Clone(object)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if fieldValue(marks, name) == nil && s.keeps(object[name], append(slices.Clip(path), name)...) {
			delete(left, name)
		}
	}
	return left
}

// splitMetadata returns the metadata without the labels, annotations and finalizers that are to be kept.
func (s *fieldSplit) splitMetadata(metadata map[string]any) map[string]any {
	left := maps.Clone(metadata)
	for _, name := range []string{"annotations", "labels"} {
		texts, _ := metadata[name].(map[string]any)
		delete(left, name)
		if rest := s.splitObject(texts, s.marks[name], "metadata", name); len(rest) > 0 {
			left[name] = rest
		}
	}
	if finalizers, ok := metadata["finalizers"]; ok && s.keeps(finalizers, "metadata", "finalizers") {
		delete(left, "finalizers")
	}
	return left
}

// hashOfField returns the hash of a desired field as a record has it.
func hashOfField(path []string, value any) (text string) {
	names := make([]any, len(path))
	for i, name := range path {
		names[i] = name
	}
	_ = encodeJSON([]any{names, value}, func(encoded []byte) { // which is JSON: NewDesired has encoded it
		sum := digestOf(encoded)
		text = hex.EncodeToString(sum[:6])
	})
	return text
}

// recordOf returns the record of fields.
func recordOf(fields []desiredField) string {
	hashes := make([]string, len(fields))
	for i, field := range fields {
		hashes[i] = field.hash
	}
	return strings.Join(hashes, ",")
}

// KeptFields returns the paths of the desired fields that a live object keeps since it was adopted as
// it is.
func (a *Applier) KeptFields(state *AppliedState, d Desired, live client.Object) (paths []fieldpath.Path) {
	d = d.keptBy(live, state, a.Manager)
	if d.record == "" {
		return nil
	}
	_, kept := d.splitRecorded(d.wholeContent()(), d.record)
	for _, field := range kept {
		path := fieldpath.Path{}
		for _, name := range field.path {
			path = append(path, fieldpath.FieldNameElement(name))
		}
		paths = append(paths, path)
	}
	return paths
}

// adoptAsItIs makes an object the parent's child, and records what is desired of it. It returns
// ErrStale if the object has changed since it was read, because another parent may have it by now.
func (c *childApply) adoptAsItIs(ctx context.Context, live client.Object) (Outcome, error) {
	_, all := c.desired.splitFields(c.desired.wholeContent()(), func(desiredField) bool { return true })
	c.desired = c.desired.withoutRecorded(recordOf(all))
	live, err := c.client.giveUpFields(ctx, c.desired, live, c.applier.claimsOn(live))
	if err != nil {
		return Outcome{}, err
	}
	answer, err := c.client.applyIf(ctx, c.desired, "resourceVersion", live.GetResourceVersion())
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return Outcome{}, errConflict{ErrStale{c.desired.Key()}, err}
	}
	outcome, err := c.client.outcomeOf(ctx, c.desired, live, answer, err)
	if err != nil || outcome.Action == NeedsRecreation {
		return outcome, err
	}
	return outcome, c.recordApplied(answer)
}

// giveUpFields takes the marks of other controllers of this runtime from an object, and its fields from
// this field manager, which may have written them for an earlier parent: an apply would remove those
// that it does not mention.
func (c childClient) giveUpFields(ctx context.Context, d Desired, live client.Object, claims []Claim) (client.Object, error) {
	metadata := map[string]any{}
	if len(claims) > 0 {
		metadata = d.ownershipPatch(live, claims)
	}
	isOurs := func(entry metav1.ManagedFieldsEntry) bool { return managedfields.IsEntryOf(entry, c.manager) }
	if entries := live.GetManagedFields(); slices.ContainsFunc(entries, isOurs) {
		rest := slices.DeleteFunc(slices.Clone(entries), isOurs)
		if len(rest) == 0 { // the API server ignores an empty list
			rest = []metav1.ManagedFieldsEntry{{}}
		}
		metadata["managedFields"] = rest
	}
	if len(metadata) == 0 {
		return live, nil
	}
	return c.patchMetadata(ctx, d.Key(), live, metadata)
}
