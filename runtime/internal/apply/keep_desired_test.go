package apply

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const keptKey = "example.com/desired"

func keptContent(value string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web"}},
		"data":     map[string]any{"key": value},
	}
}

// keptDesired returns the desired state of a ConfigMap that keeps it, with the marks of a child.
func keptDesired(desiredKey, value string, inPlace ...fieldpath.Path) (Desired, error) {
	return NewDesired(Desired{
		Kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Name: types.NamespacedName{Namespace: "a", Name: "web"},
		HashKey: "example.com/hash", DesiredKey: desiredKey, InPlace: inPlace,
		AddOwnerMetadata: func(metadata map[string]any) { ensureObject(metadata, "labels")["example.com/site"] = "1" },
	}, keptContent(value))
}

// The annotation has what the author desires, without identity and marks, and no hash covers it.
func TestDesiredStateInItsAnnotation(t *testing.T) {
	annotations := fieldpath.MakePathOrDie("metadata", "annotations")
	for name, inPlace := range map[string][]fieldpath.Path{"": nil, "with annotations in place": {annotations}} {
		t.Run(name, func(t *testing.T) {
			kept, err := keptDesired(keptKey, "x", inPlace...)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := keptDesired("", "x", inPlace...)
			if err != nil || kept.Hash != plain.Hash || kept.digest != plain.digest {
				t.Errorf("the hashes are %s and %s, the digests %s and %s: %v", kept.Hash, plain.Hash, kept.digest, plain.digest, err)
			}
			const expected = `{"data":{"key":"x"},"metadata":{"labels":{"app":"web"}}}`
			if got := kept.desiredText(kept.content()); got != expected {
				t.Errorf("got %s, want %s", got, expected)
			}
			if kept.isInPlace("annotations", keptKey) || kept.isInPlace("annotations", "other") != (inPlace != nil) {
				t.Error("it is applied in place")
			}
			if got := plain.desiredText(plain.content()); got != "" {
				t.Errorf("without the key: %s", got)
			}
		})
	}
}

// A reconcile that makes the content from the same input makes the same one.
func TestRecalledDesiredStateIsKept(t *testing.T) {
	kept, err := keptDesired(keptKey, "x")
	if err != nil {
		t.Fatal(err)
	}
	state := new(AppliedState)
	state.setChild(&appliedChild{key: kept.Key(), digest: kept.digest, hash: kept.Hash, input: 7})
	again := kept
	again.Input, again.content = 7, nil
	again, ok := state.Recall(again, func() map[string]any { return keptContent("x") })
	if !ok || !reflect.DeepEqual(again.content(), kept.content()) {
		t.Errorf("got %v, %v, want %v", ok, again.content(), kept.content())
	}
}

func TestDesiredStateThatIsTooLarge(t *testing.T) {
	if _, err := keptDesired(keptKey, strings.Repeat("x", maxDesiredText-100)); err != nil {
		t.Error(err)
	}
	_, err := keptDesired(keptKey, strings.Repeat("x", maxDesiredText))
	if err == nil || err.Error() != "ConfigMap a/web: its desired state is larger than 64 KiB, and keepDesired keeps no more" {
		t.Errorf("the error is %v", err)
	}
}

// What is recorded goes before the annotation, which counts unless somebody else wrote it.
func TestDesiredTextByWriter(t *testing.T) {
	key := Key{Name: types.NamespacedName{Namespace: "a", Name: "web"}}
	const ours, theirs = `{"f:metadata":{"f:annotations":{"f:example.com/desired":{}}}}`, `{"f:data":{}}`
	live := func(fields map[string]string) *corev1.ConfigMap {
		object := &corev1.ConfigMap{}
		object.UID, object.Annotations = "1", map[string]string{keptKey: "annotated"}
		for manager, raw := range fields {
			object.ManagedFields = append(object.ManagedFields, metav1.ManagedFieldsEntry{
				Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(raw),
			})
		}
		return object
	}
	recorded := func(uid types.UID, text string) *AppliedState {
		state := new(AppliedState)
		state.setChild(&appliedChild{key: key, uid: uid, desired: text})
		return state
	}
	for _, test := range []struct {
		name  string
		state *AppliedState
		live  *corev1.ConfigMap
		key   string
		want  string
	}{
		{"recorded", recorded("1", "recorded"), live(map[string]string{"other": ours}), keptKey, "recorded"},
		{"recorded of another object", recorded("2", "recorded"), live(map[string]string{"us": theirs, "other": ours}), keptKey, ""},
		{"recorded without a text", recorded("1", ""), live(map[string]string{"us": ours}), keptKey, "annotated"},
		{"written by us", new(AppliedState), live(map[string]string{"us": ours}), keptKey, "annotated"},
		{"written by somebody else", new(AppliedState), live(map[string]string{"us": theirs, "other": ours}), keptKey, ""},
		{"written by nobody knows whom", new(AppliedState), live(nil), keptKey, "annotated"},
		{"without the key", recorded("1", "recorded"), live(map[string]string{"us": ours}), "", ""},
	} {
		if got := test.state.DesiredText(key, test.live, test.key, "us"); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
