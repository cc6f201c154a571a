package simulation

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestMergeOfCustomResources removes a field, changes one, and keeps what somebody else has set.
func TestMergeOfCustomResources(t *testing.T) {
	widget := func(spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": spec}
	}
	live := &unstructured.Unstructured{Object: widget(map[string]any{"size": int64(1), "gone": "x", "theirs": "y", "list": []any{"a", "b"}})}
	live.Object["status"] = map[string]any{"phase": "Up"}
	before := widget(map[string]any{"size": int64(1), "gone": "x", "list": []any{"a"}})
	now := widget(map[string]any{"size": int64(2), "list": []any{"c"}})
	merged, err := mergeContents(live, before, now)
	if err != nil {
		t.Fatal(err)
	}
	want := widget(map[string]any{"size": int64(2), "theirs": "y", "list": []any{"c"}})
	want["status"] = map[string]any{"phase": "Up"}
	if got := merged.(*unstructured.Unstructured).Object; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
