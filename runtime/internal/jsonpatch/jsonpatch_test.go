package jsonpatch

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestPatchIsForOneObject(t *testing.T) {
	patch, err := For("1-2", Operation{Op: "replace", Path: "/data/" + Escape("a/b~c"), Value: ""}, Operation{Op: "remove", Path: "/data/d"})
	want := `[{"op":"test","path":"/metadata/uid","value":"1-2"},{"op":"replace","path":"/data/a~1b~0c","value":""},{"op":"remove","path":"/data/d"}]`
	if err != nil || string(patch) != want {
		t.Errorf("patch is %s, %v\nwant %s", patch, err, want)
	}
}

func TestUnfit(t *testing.T) {
	failedTest := apierrors.NewGenericServerResponse(422, "patch", schema.GroupResource{}, "", "testing value /metadata/uid failed", 0, false)
	webhook := apierrors.FromObject(&metav1.Status{Code: 422, Reason: metav1.StatusReasonInvalid, Message: `admission webhook "a.example.com" denied the request: no`})
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"a test in the patch failed", failedTest, true},
		{"the same, wrapped", fmt.Errorf("write: %w", failedTest), true},
		{"the outcome is invalid", apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "web", nil), false},
		{"a webhook refuses it", webhook, false},
		{"there is no such object", apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "web"), false},
		{"another error", errors.New("connection refused"), false},
		{"none", nil, false},
	} {
		if got := DoesNotFit(test.err); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
