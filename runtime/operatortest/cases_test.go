package operatortest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	children struct {
		ConfigMaps operator.Snapshot[*corev1.ConfigMap]
	}
	desired struct {
		ConfigMaps operator.DesiredSet[*corev1.ConfigMap]
	}
	status   struct{ Seen int }
	request  = operator.Request[*corev1.Namespace, children, struct{}]
	response = operator.Response[desired, status]
)

// copies wants a ConfigMap named after its parent.
func copies(_ context.Context, req *request) (*response, error) {
	if req.Parent.Name == "" {
		return nil, errors.New("the parent has no name")
	}
	want := new(desired)
	want.ConfigMaps.Add(configMap(req.Parent.Name), operator.CreateOnly)
	want.ConfigMaps.Keep("old")
	return &response{Children: want, Status: &status{Seen: req.Children.ConfigMaps.Len()}}, nil
}

func TestRun(t *testing.T) {
	want := new(desired)
	want.ConfigMaps.Add(configMap("web"), operator.CreateOnly)
	want.ConfigMaps.Keep("old")
	operatortest.Run(t, copies,
		operatortest.Case[request, response]{
			Name: "a copy",
			Given: request{
				Parent:   &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "web"}},
				Children: children{ConfigMaps: operator.NewSnapshot(configMap("a"), configMap("b"))},
			},
			Expect: &response{Children: want, Status: &status{Seen: 2}},
		},
		operatortest.Case[request, response]{
			Name:        "no name",
			Given:       request{Parent: &corev1.Namespace{}},
			ExpectError: "no name",
		},
	)
}

func TestDiffShowsWhatIsDesired(t *testing.T) {
	set := func(keep string, update operator.ChildOption, names ...string) desired {
		var d desired
		for _, name := range names {
			d.ConfigMaps.Add(configMap(name), update)
		}
		d.ConfigMaps.Keep(keep)
		return d
	}
	same := set("old", operator.InPlace, "a", "b")
	for _, test := range []struct {
		name  string
		other desired
		shows string
	}{
		{"the same", set("old", operator.InPlace, "a", "b"), ""},
		{"a child less", set("old", operator.InPlace, "a"), "{b "},
		{"another name", set("old", operator.InPlace, "a", "c"), `"c"`},
		{"another option", set("old", operator.CreateOnly, "a", "b"), "CreateOnly"},
		{"another to keep", set("new", operator.InPlace, "a", "b"), `"new"`},
	} {
		diff := operatortest.Diff(same, test.other)
		if (diff == "") != (test.shows == "") || !strings.Contains(diff, test.shows) {
			t.Errorf("%s: the diff does not show %s:\n%s", test.name, test.shows, diff)
		}
	}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
