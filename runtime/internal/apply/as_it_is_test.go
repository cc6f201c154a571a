package apply

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

const adoptedKey = "shop/adopted"

// desiredAsItIs returns a desired child with marks of its parent, which is adopted as it is.
func desiredAsItIs(t *testing.T, text string) Desired {
	t.Helper()
	content := map[string]any{"metadata": map[string]any{}}
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	d, err := NewDesired(Desired{
		Kind: schema.GroupVersionKind{Group: "shop", Version: "v1", Kind: "Stall"}, Name: types.NamespacedName{Namespace: "town", Name: "tea"},
		Policies: declared.Policies{Adopt: declared.AdoptAsItIs}, HashKey: "shop/hash", AdoptedKey: adoptedKey,
		AddOwnerMetadata: func(metadata map[string]any) { ensureObject(metadata, "labels")["shop/parent"] = "1" },
	}, content)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// recordAll returns the record of a child that is adopted with this desired state.
func recordAll(d Desired) string {
	_, all := d.splitFields(d.content(), func(desiredField) bool { return true })
	return recordOf(all)
}

func TestRecordedFieldsAreLeftOut(t *testing.T) {
	const before = `{metadata: {labels: {app: tea}, annotations: {a: "1"}, finalizers: [f]}, spec: {replicas: 2, template: {image: a, env: [x]}}, data: {}, rules: [r], kept: true}`
	for name, test := range map[string]struct{ now, rest string }{
		"nothing has changed":         {before, `{}`},
		"a field":                     {strings.Replace(before, "replicas: 2", "replicas: 3", 1), `{spec: {replicas: 3}}`},
		"a part of a field":           {strings.Replace(before, "image: a", "image: b", 1), `{spec: {template: {image: b, env: [x]}}}`},
		"a part of it is left out":    {strings.Replace(before, ", env: [x]", "", 1), `{spec: {template: {image: a}}}`},
		"a field is left out":         {strings.Replace(before, "replicas: 2, ", "", 1), `{}`},
		"a field is new":              {strings.Replace(before, "replicas: 2", "replicas: 2, paused: true", 1), `{spec: {paused: true}}`},
		"an object gets a field":      {strings.Replace(before, "data: {}", "data: {a: b}", 1), `{data: {a: b}}`},
		"an object loses all fields":  {strings.Replace(before, "spec: {replicas: 2, template: {image: a, env: [x]}}", "spec: {}", 1), `{spec: {}}`},
		"a list":                      {strings.Replace(before, "rules: [r]", "rules: [r, s]", 1), `{rules: [r, s]}`},
		"a value":                     {strings.Replace(before, "kept: true", "kept: false", 1), `{kept: false}`},
		"a label":                     {strings.Replace(before, "app: tea", "app: tea, more: b", 1), `{metadata: {labels: {more: b}}}`},
		"an annotation":               {strings.Replace(before, `a: "1"`, `a: "2"`, 1), `{metadata: {annotations: {a: "2"}}}`},
		"the finalizers":              {strings.Replace(before, "[f]", "[f, g]", 1), `{metadata: {finalizers: [f, g]}}`},
		"a value moves to another":    {strings.Replace(before, "replicas: 2", "copies: 2", 1), `{spec: {copies: 2}}`},
		"a value of the same in JSON": {strings.Replace(before, "replicas: 2", `replicas: "2"`, 1), `{spec: {replicas: "2"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			record, now := recordAll(desiredAsItIs(t, before)), desiredAsItIs(t, test.now)
			got, expected := now.withoutRecorded(record), desiredAsItIs(t, test.rest)
			metadata := got.content()["metadata"].(map[string]any)
			left := got.recordLeft()
			dropAnnotation(metadata, adoptedKey)
			if !equalValues(got.content(), expected.content()) {
				t.Errorf("got %v, want %v", got.content(), expected.content())
			}
			if got.Hash != now.Hash || got.digest != now.digest {
				t.Error("the hash of all that is desired has changed")
			}
			if !equalValues(got.asNew().content(), now.content()) {
				t.Errorf("a new child is %v", got.asNew().content())
			}
			for hash := range strings.SplitSeq(left, ",") {
				if !slices.Contains(strings.Split(record, ","), hash) || !slices.Contains(strings.Split(recordAll(now), ","), hash) {
					t.Errorf("the record has %s, which is new or not desired", hash)
				}
			}
			again := now.withoutRecorded(left)
			if !equalValues(again.content()["spec"], got.content()["spec"]) || again.recordLeft() != left {
				t.Errorf("with the record that is left it is %v", again.content())
			}
		})
	}
}

// The marks of a child are always written, even if they were desired by its author, too.
func TestMarksAreNotRecorded(t *testing.T) {
	d := desiredAsItIs(t, `{metadata: {labels: {shop/parent: "0"}}}`)
	if record := recordAll(d); record != "" {
		t.Errorf("the record is %s", record)
	}
	if d = d.withoutRecorded(""); d.recordLeft() != "" {
		t.Errorf("without a record, it has %s", d.recordLeft())
	}
}

func TestWhoseRecordCounts(t *testing.T) {
	entry := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	const ours, others = `{"f:metadata":{"f:annotations":{"f:shop/adopted":{}}}}`, `{"f:spec":{}}`
	d := desiredAsItIs(t, `{spec: {replicas: 2}}`)
	record := recordAll(d)
	for name, test := range map[string]struct {
		annotation string
		entries    []metav1.ManagedFieldsEntry
		last       *appliedChild
		policy     declared.AdoptionPolicy
		strategy   declared.UpdateStrategy
		expected   string
	}{
		"we wrote it":                    {annotation: record, entries: []metav1.ManagedFieldsEntry{entry("us", ours)}, expected: record},
		"somebody else wrote it":         {annotation: record, entries: []metav1.ManagedFieldsEntry{entry("us", others), entry("them", ours)}},
		"nobody knows who wrote it":      {annotation: record, expected: record},
		"there is none":                  {entries: []metav1.ManagedFieldsEntry{entry("us", others)}},
		"it was edited, and we remember": {annotation: "0", last: &appliedChild{uid: "1", record: record}, expected: record},
		"we remember that there is none": {annotation: record, last: &appliedChild{uid: "1"}},
		"we remember another child":      {last: &appliedChild{uid: "2", record: record}},
		"it is not adopted as it is":     {annotation: record, policy: declared.AdoptIfUnowned},
		"it is never changed anyway":     {annotation: record, strategy: declared.CreateOnly},
	} {
		t.Run(name, func(t *testing.T) {
			live, state, d := new(unstructured.Unstructured), new(AppliedState), d
			live.SetUID("1")
			live.SetAnnotations(map[string]string{adoptedKey: test.annotation})
			live.SetManagedFields(test.entries)
			if test.last != nil {
				test.last.key = d.Key()
				state.setChild(test.last)
			}
			if d.Update = test.strategy; test.policy != "" {
				d.Adopt = test.policy
			}
			if got := d.keptBy(client.Object(live), state, "us").record; got != test.expected {
				t.Errorf("the record is %q, want %q", got, test.expected)
			}
		})
	}
	if got := d.keptBy(nil, new(AppliedState), "us").record; got != "" {
		t.Errorf("a child that does not exist has the record %q", got)
	}
}
