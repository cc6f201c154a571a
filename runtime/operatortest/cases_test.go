package operatortest_test

import (
	"context"
	"errors"
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
	status struct {
		Phase string
		Seen  int
	}
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

// TestRunCallsTheFunctionsOfWhenApplied plays an API server that accepts each child, and one that
// refuses them all.
func TestRunCallsTheFunctionsOfWhenApplied(t *testing.T) {
	want := new(desired)
	want.ConfigMaps.Add(configMap("web"))
	sync := func(context.Context, *request) (*response, error) {
		want := new(desired)
		want.ConfigMaps.Add(configMap("web"), operator.WhenApplied(func(response *response) { response.Status.Phase = "Written" }))
		return &response{Children: want, Status: &status{Phase: "Waiting"}}, nil
	}
	operatortest.Run(t, sync,
		operatortest.Case[request, response]{Name: "applied", Expect: &response{Children: want, Status: &status{Phase: "Written"}}},
		operatortest.Case[request, response]{Name: "refused", NoneApplied: true, Expect: &response{Children: want, Status: &status{Phase: "Waiting"}}},
	)
	if got := operatortest.Applied(&response{}); got == nil || got.Children != nil {
		t.Errorf("a response without children becomes %+v", got)
	}
	if got := operatortest.Applied[response](nil); got != nil {
		t.Errorf("no response becomes %+v", got)
	}
}

// responseBesideTheError is a case that expects the error alone.
func responseBesideTheError(t *testing.T) {
	both := func(context.Context, *request) (*response, error) {
		return &response{Children: new(desired)}, errors.New("not today")
	}
	operatortest.Run(t, both, operatortest.Case[request, response]{Name: "both", ExpectError: "not today"})
}

func TestRunNamesAResponseBesideTheError(t *testing.T) {
	expectFailure(t, "response beside the error", "a response beside the error: what is set in it is written, so set Expect, too, or return nil")
}

func TestDiffShowsOnlyWhatDiffers(t *testing.T) {
	answer := func(phase string, update operator.ChildOption, keep string, children ...*corev1.ConfigMap) *response {
		want := new(desired)
		for _, child := range children {
			want.ConfigMaps.Add(child, update)
		}
		want.ConfigMaps.Keep(keep)
		return &response{Children: want, Status: &status{Phase: phase, Seen: 1}}
	}
	a, b, changed := configMap("a"), configMap("b"), configMap("b")
	b.Data = map[string]string{"same": "same", "app.conf": "one"}
	changed.Data = map[string]string{"same": "same", "app.conf": "two"}
	expected := answer("Up", operator.InPlace, "old", a, b)
	for _, test := range []struct {
		name string
		got  *response
		want string
	}{
		{"the same", answer("Up", operator.InPlace, "old", configMap("a"), b.DeepCopy()), ""},
		{"a child less", answer("Up", operator.InPlace, "old", b),
			`Children.ConfigMaps a:
  - {"(options)":{"Update":"InPlace"},"metadata":{"name":"a"}}
`},
		{"a child more", answer("Up", operator.InPlace, "old", a, b, configMap("c")),
			`Children.ConfigMaps c:
  + {"(options)":{"Update":"InPlace"},"metadata":{"name":"c"}}
`},
		{"a field", answer("Up", operator.InPlace, "old", a, changed),
			`Children.ConfigMaps b.data["app.conf"]:
  - "one"
  + "two"
`},
		{"the order", answer("Up", operator.InPlace, "old", b, a),
			`Children.ConfigMaps in this order:
  - ["a","b"]
  + ["b","a"]
`},
		{"an option", answer("Up", operator.CreateOnly, "old", a, b),
			`Children.ConfigMaps a.(options).Update:
  - "InPlace"
  + "CreateOnly"
Children.ConfigMaps b.(options).Update:
  - "InPlace"
  + "CreateOnly"
`},
		{"what is kept", answer("Up", operator.InPlace, "new", a, b),
			`Children.ConfigMaps that are kept:
  - ["old"]
  + ["new"]
`},
		{"the status", answer("Down", operator.InPlace, "old", a, b),
			`Status.Phase:
  - "Up"
  + "Down"
`},
		{"no status", &response{Children: expected.Children},
			`Status:
  - {"Phase":"Up","Seen":1}
  + null
`},
		{"left alone", &response{Status: expected.Status},
			`Children:
  - "set"
  + null
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := operatortest.Diff(expected, test.got); got != test.want {
				t.Errorf("got:\n%swant:\n%s", got, test.want)
			}
		})
	}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
