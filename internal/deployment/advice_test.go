package deployment

import (
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The operator is deployed again for its own finalizers alone.
func TestAdviceOnFinalizersFollowsTheirNames(t *testing.T) {
	for finalizers, isOurs := range map[string]bool{
		"demo.example.com/finalizer":                    true,
		"other.io/protect demo.example.com/finalizer":   true,
		"other.io/protect":                              false,
		"foregroundDeletion":                            false,
		"example.com/finalizer":                         false,
		"demo.example.com/another orphan other.io/held": false,
	} {
		if text := adviseOnFinalizers("echoservers.demo.example.com", strings.Fields(finalizers)); strings.Contains(text, "run make deploy") != isOurs {
			t.Errorf("%s: %s", finalizers, text)
		}
	}
}

// A conversion webhook is blamed for what the API server says of it alone.
func TestConversionIsBlamedForItsOwnErrors(t *testing.T) {
	kinds := schema.GroupResource{Group: "demo.example.com", Resource: "echoservers"}
	for text, test := range map[string]struct {
		err  error
		want bool
	}{
		"none":       {nil, false},
		"no right":   {apierrors.NewForbidden(kinds, "", errors.New(`User "dev" cannot list resource "echoservers"`)), false},
		"no answer":  {errors.New("dial tcp: connection refused"), false},
		"too busy":   {apierrors.NewTooManyRequestsError("later"), false},
		"conversion": {errors.New(`conversion webhook for demo.example.com/v1, Kind=EchoServer failed: Post "https://a.b.svc:443/convert": service "a" not found`), true},
	} {
		if got := isOfConversion(test.err); got != test.want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
