package explore

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// TestFindProblems compares what somebody has changed, as the API
// server has it afterwards.
func TestFindProblems(t *testing.T) {
	t.Parallel()
	w := created(t, webDeployment(), "Deployment")
	item := func(name string) fieldpath.PathElement { return fieldpath.KeyElementByFields("name", name) }
	main := schemas.PathOf("spec", "template", "spec", "containers").Then(item("main"))
	for _, test := range []struct {
		name           string
		family         string
		written, after func(map[string]any)
		recreates      bool
		expect         string // empty: nothing is wrong
	}{
		{name: "nothing has changed"},
		{name: "a desired value is another", after: setTo(main.With("image"), "web:2"), expect: `containers[main].image is "web:2", want "web:1"`},
		{name: "a desired item is gone", after: drop(main.With("env").Then(item("A"))), expect: "env[A].name is absent"},
		{name: "a list that is owned as a whole has grown", after: setTo(main.With("args"), []any{"a", "b", "c"}), expect: "args is"},
		{name: "a default that nobody desires is another since the mutation", after: setTo(schemas.PathOf("spec", "minReadySeconds"), int64(3))},
		{
			name: "what a writer has added stays", family: extends,
			written: setTo(schemas.PathOf("metadata", "labels", "theirs"), "1"),
			after:   setTo(schemas.PathOf("metadata", "labels", "theirs"), "1"),
		},
		{
			name: "what a writer has added is gone", family: extends,
			written: setTo(schemas.PathOf("metadata", "labels", "theirs"), "1"), expect: `metadata.labels.theirs is absent, want "1"`,
		},
		{name: "what nobody has changed is another", after: setTo(main.With("imagePullPolicy"), "Never"), expect: "imagePullPolicy is"},
		{name: "the child is another", after: func(content map[string]any) { content["metadata"].(map[string]any)["uid"] = "other" }, expect: "recreated"},
		{name: "the child is another, as its strategy says", after: func(content map[string]any) { content["metadata"].(map[string]any)["uid"] = "other" }, recreates: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := evidence{desired: w.desired, kind: w.kind, manager: creator, before: w.live, written: edited(w.live, test.written), after: edited(w.live, test.after), recreates: test.recreates}
			problems, err := e.findProblems(alteration{family: test.family})
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Join(problems, "\n")
			if test.expect == "" && found != "" || !strings.Contains(found, test.expect) {
				t.Errorf("found %q, want %q", found, test.expect)
			}
		})
	}
}

func TestFindProblemsNamesNoValueOfASecret(t *testing.T) {
	t.Parallel()
	w := created(t, &corev1.Secret{Data: map[string][]byte{"key": []byte("canary")}}, "Secret")
	after := edited(w.live, setTo(schemas.PathOf("data", "key"), "b3RoZXI="))
	found, err := evidence{desired: w.desired, kind: w.kind, manager: creator, before: w.live, written: w.live, after: after}.findProblems(alteration{})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(found, "\n"); !strings.Contains(text, "data.key") || strings.Contains(text, "b3RoZXI") || strings.Contains(text, "Y2FuYXJ5") {
		t.Errorf("found %q", text)
	}
}

func setTo(at schemas.Path, value any) func(map[string]any) {
	return func(content map[string]any) {
		last := len(at) - 1
		at[:last].Edit(content, func(old any) (any, bool) {
			object := old.(map[string]any)
			object[*at[last].FieldName] = value
			return object, true
		})
	}
}

func drop(at schemas.Path) func(map[string]any) {
	return func(content map[string]any) { at.Remove(content) }
}

func edited(object *unstructured.Unstructured, edit func(map[string]any)) *unstructured.Unstructured {
	copied := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object.Object)}
	if edit != nil {
		edit(copied.Object)
	}
	return copied
}
