package operator_test

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// twoOperators are two operators, each of an API group of its own, that want the same
// ConfigMap.
type twoOperators struct {
	first, second          *custom
	firstParent, laterSite *testapi.Site
	child                  *corev1.ConfigMap
}

// startOperators has the first make the child, and the second want it with these
// options. Where ordered, the child of the first is its by label alone.
func startOperators(t *testing.T, ordered bool, options ...operator.ChildOption) *twoOperators {
	t.Helper()
	r := new(twoOperators)
	r.first = startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text != "none" {
			want.ConfigMaps.Add(configMap("shared", "first"))
		}
	}), func(d *definition) {
		if ordered {
			d.Teardown = operator.TeardownOrdered
		}
	})
	r.second = addCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMapAs(r.first.Namespace, "shared", "second"), options...)
	}), anywhere, func(o *operator.Options) { o.Namespaces = nil })
	r.child = configMapAs(r.first.Namespace, "shared", "")
	r.firstParent = r.first.site("first")
	r.first.says(r.firstParent, allReady)
	r.laterSite = r.second.site("second")
	return r
}

func configMapAs(namespace, name, value string) *corev1.ConfigMap {
	child := configMap(name, value)
	child.Namespace = namespace
	return child
}

// ownersOf reports which of the two has its keys on the child.
func (r *twoOperators) ownersOf() (first, second bool) {
	has := func(c *custom) bool { return marked(r.child.Labels, c.group) || marked(r.child.Annotations, c.group) }
	r.first.Get(r.child)
	return has(r.first), has(r.second)
}

func (r *twoOperators) expect(value string, first, second bool) {
	r.first.t.Helper()
	if isFirst, isSecond := r.ownersOf(); isFirst != first || isSecond != second || r.child.Data["key"] != value {
		r.first.t.Errorf("labels are %v, annotations %v, owners %v, data %v", r.child.Labels, r.child.Annotations, r.child.OwnerReferences, r.child.Data)
	}
}

func TestForcedAdoptionLeavesOneController(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		ordered bool
		options []operator.ChildOption
		value   string
	}{
		{"from one that owned it by label", true, nil, "second"},
		{"from one that owned it by reference", false, nil, "second"},
		{"as it is", true, []operator.ChildOption{operator.CreateOnly}, "first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := startOperators(t, test.ordered, append(test.options, operator.AdoptForce)...)
			r.second.says(r.laterSite, allReady)
			r.first.says(r.firstParent, fmt.Sprintf("ConfigMap %s/shared exists already and belongs to Site second: choose another name", r.child.Namespace))
			r.second.Converged(r.laterSite)
			r.expect(test.value, false, true)

			// The former one has lost it for good, also when it knows nothing of it any more.
			r.first.Restart()
			r.first.Settled()
			uid := r.child.UID
			r.first.touch(r.firstParent, "none")
			r.first.says(r.firstParent, allReady)
			r.first.Settled()
			if r.expect(test.value, false, true); r.child.UID != uid {
				t.Error("it was deleted")
			}
			r.second.Delete(r.laterSite)
			r.second.Gone(r.laterSite, r.child)
		})
	}
}

func TestAnObjectThatAnotherOperatorOwnsByLabelIsNotUnowned(t *testing.T) {
	r := startOperators(t, true, operator.AdoptIfUnowned)
	r.second.says(r.laterSite, fmt.Sprintf("ConfigMap %s/shared exists already and belongs to Site first: choose another name", r.child.Namespace))
	r.first.Settled()
	r.expect("first", true, false)

	r.first.touch(r.firstParent, "none")
	r.second.Eventually("the second makes its own", func() error {
		if first, second := r.ownersOf(); first || !second {
			return errors.New("it has not")
		}
		return nil
	})
}
