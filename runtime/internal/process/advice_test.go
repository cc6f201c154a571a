package process

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
)

// What is said of a kind that is not known depends on the answer to its list alone.
func TestAdviceOnListsFollowsTheCause(t *testing.T) {
	maps := schema.GroupResource{Resource: "configmaps"}
	const install, role, some, ending = "install its CRD", "make deploy applies the generated role", "--namespace asks for some", "is being deleted"
	for name, test := range map[string]struct {
		err    error
		advice []string
	}{
		"no answer yet":             {nil, nil},
		"no right":                  {apierrors.NewForbidden(maps, "", errors.New(`User "op" cannot list resource "configmaps" in API group "" at the cluster scope`)), []string{role, some}},
		"no right in a namespace":   {apierrors.NewForbidden(maps, "", errors.New(`User "op" cannot list resource "configmaps" in API group "" in the namespace "ns"`)), []string{role, "namespace ns " + ending}},
		"no CRD":                    {apierrors.NewNotFound(maps, ""), []string{install}},
		"not decoded":               {errors.New("json: cannot unmarshal string into Go struct field"), nil},
		"no API server":             {errors.New("dial tcp: connection refused"), nil},
		"a server that is too busy": {apierrors.NewTooManyRequestsError("later"), nil},
		"a policy":                  {apierrors.NewForbidden(maps, "", errors.New("not today")), nil},
	} {
		kind := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
		l := &listings{all: []*listing{{SharedIndexInformer: runningInformer{}, kind: kind, of: new(listings), err: test.err, since: time.Now()}}}
		texts := map[string]string{"start": explainList(kind, test.err), "lag": (&Environment{lists: l}).ExplainLag(kind)}
		if test.err == nil && texts["lag"] != "its watch is open, and shows nothing" {
			t.Errorf("%s: %s", name, texts["lag"])
		}
		for when, text := range texts {
			for _, advice := range []string{install, role, some, ending} {
				want := strings.Contains(strings.Join(test.advice, " "), advice)
				if strings.Contains(text, advice) != want {
					t.Errorf("%s, %s: %q is given: %v, in: %s", name, when, advice, !want, text)
				}
			}
			if test.err != nil && test.advice == nil && !strings.Contains(text, test.err.Error()) {
				t.Errorf("%s, %s: the cause is missing: %s", name, when, text)
			}
		}
	}
}

// runningInformer is an informer that runs.
type runningInformer struct{ toolscache.SharedIndexInformer }

func (runningInformer) IsStopped() bool { return false }
