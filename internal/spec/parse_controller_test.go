package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestControllerIsFilledIn(t *testing.T) {
	const file = "controllers/service-per-pod.yaml"
	controller, problems := ParseController(file, []byte(`apiVersion: opgen.dev/v1alpha1
kind: Controller
name: service-per-pod
parents:
- {apiVersion: v1, kind: Pod}
`))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	controller.At = nil
	want := &Controller{
		File: file, Pos: Pos{file, 1, 1}, Name: "service-per-pod",
		Parents:  []Parent{{Resource: Resource{Pos: Pos{file, 5, 3}, APIVersion: "v1", Kind: "Pod"}}},
		Operator: &Operator{Pos: Pos{file, 1, 1}, Teardown: TeardownTogether},
	}
	if diff := cmp.Diff(want, controller); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := controller.Package(); got != "serviceperpod" {
		t.Errorf("the package is %q", got)
	}
	if got := controller.Group(&Project{Domain: "example.com"}); got != "service-per-pod.example.com" {
		t.Errorf("the group is %q", got)
	}
}

// TestSelectorsAreOneText has selectors in every form; the same selector is the same text.
func TestSelectorsAreOneText(t *testing.T) {
	tests := map[string]struct{ key, selector, want string }{
		"kubectl's":           {"labelSelector", `"tier=db,app==web"`, "app=web,tier=db"},
		"a key alone":         {"annotationSelector", `service-per-pod`, "service-per-pod"},
		"sets":                {"labelSelector", `"env in (prod,dev), !legacy"`, "env in (dev,prod),!legacy"},
		"matchLabels":         {"labelSelector", `{matchLabels: {tier: db, app: web}}`, "app=web,tier=db"},
		"matchAnnotations":    {"annotationSelector", `{matchAnnotations: {example.com/a: b}}`, "example.com/a=b"},
		"labels, annotations": {"annotationSelector", `{matchLabels: {a: b}}`, "a=b"},
		"matchExpressions": {
			"annotationSelector",
			`{matchAnnotations: {z: b}, matchExpressions: [{key: k, operator: In, values: [b, a]}, {key: gone, operator: DoesNotExist}]}`,
			"!gone,k in (a,b),z=b",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			controller, problems := ParseController("c.yaml", []byte(`apiVersion: opgen.dev/v1alpha1
kind: Controller
name: c
parents:
- {apiVersion: v1, kind: Pod, `+test.key+": "+test.selector+"}\n"))
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			if got := controller.Parents[0].Labels + controller.Parents[0].Annotations; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestIsController(t *testing.T) {
	for text, want := range map[string]bool{
		"kind: Controller":                         true,
		"a: b\nkind: \"Controller\" # of Pods\r\n": true,
		"kind: API\nnames: {kind: Controller}":     false,
		"kind: Controllers":                        false,
	} {
		if got := IsController([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
