package operatortest_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

type (
	patching struct {
		Patches podPatches
	}
	podPatches struct {
		Pods operator.PatchSet[*corev1.Pod]
	}
	patchingResponse = operator.Response[patching, struct{}]
)

// patchRoles returns an answer that patches the labels of Pods, such as "a=primary b=replica".
func patchRoles(roles string) *patchingResponse {
	want := new(patching)
	for role := range strings.FieldsSeq(roles) {
		name, value, _ := strings.Cut(role, "=")
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "seen"}}
		want.Patches.Pods.Add(pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"role": value, "app": "db"}}})
	}
	return &patchingResponse{Children: want}
}

// Cases compare patches by the objects that are patched.
func TestPatchesAreCompared(t *testing.T) {
	part := new(patching)
	part.Patches.Pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "b"}}, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"role": "primary"}}})
	applied := new(patching)
	applied.Patches.Pods.Apply(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}, applycorev1.Pod("a", "default").WithLabels(map[string]string{"role": "primary"}))
	for name, test := range map[string]struct {
		compare       func(expected, got any) string
		expected, got *patchingResponse
		want          string
	}{
		"the same":               {operatortest.Diff, patchRoles("a=primary b=replica"), patchRoles("a=primary b=replica"), ""},
		"another value":          {operatortest.Diff, patchRoles("a=primary"), patchRoles("a=replica"), "Children.Patches.Pods default/a.metadata.labels.role:\n  - \"primary\"\n  + \"replica\"\n"},
		"another object":         {operatortest.Diff, patchRoles(""), patchRoles("a=x"), "Children.Patches.Pods default/a:\n  + "},
		"none":                   {operatortest.Diff, patchRoles("a=x"), patchRoles(""), "Children.Patches.Pods default/a:\n  - "},
		"a part":                 {diff.Part, &patchingResponse{Children: part}, patchRoles("a=replica b=primary"), ""},
		"another part":           {diff.Part, &patchingResponse{Children: part}, patchRoles("b=replica"), "Children.Patches.Pods default/b.metadata.labels.role:\n  - \"primary\"\n  + \"replica\"\n"},
		"an apply configuration": {diff.Part, &patchingResponse{Children: applied}, patchRoles("a=replica"), "Children.Patches.Pods default/a.metadata.labels.role:\n  - \"primary\"\n  + \"replica\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.compare(test.expected, test.got)
			if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
