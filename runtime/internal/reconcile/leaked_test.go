package reconcile

import (
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAParentIsGoneOnlyIfTheAPIServerServesItsKind(t *testing.T) {
	sites := schema.GroupResource{Group: "test.opgen.dev", Resource: "sites"}
	for name, test := range map[string]struct {
		err  error
		gone bool
	}{
		"it exists":                      {nil, false},
		"there is none":                  {apierrors.NewNotFound(sites, "web"), true},
		"no such version of the kind":    {apierrors.NewGenericServerResponse(http.StatusNotFound, "get", sites, "web", "404 page not found", 0, true), false},
		"the API server is out of reach": {errors.New("connection refused"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isGone(test.err); got != test.gone {
				t.Errorf("gone is %v, want %v", got, test.gone)
			}
		})
	}
}
