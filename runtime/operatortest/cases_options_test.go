package operatortest_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestDiffShowsOptions(t *testing.T) {
	answer := func(options ...operator.ChildOption) *desired {
		want := new(desired)
		want.ConfigMaps.Add(configMap("a"), options...)
		return want
	}
	one := operator.Generate("password", operator.Random(24), "one")
	other := &corev1.ConfigMap{}
	other.Name = "other"
	for name, test := range map[string]struct {
		expected, got *desired
		want          string
	}{
		"the same": {answer(one, operator.CreateAfter(other)), answer(one, operator.CreateAfter(other)), ""},
		"another token": {
			answer(one), answer(operator.Generate("password", operator.Random(24), "two")),
			"ConfigMaps a.(options).Generate[0].Token:\n  - \"one\"\n  + \"two\"\n",
		},
		"another length": {
			answer(one), answer(operator.Generate("password", operator.Random(32), "one")),
			"ConfigMaps a.(options).Generate[0].Length:\n  - 24\n  + 32\n",
		},
		"another dependency": {
			answer(operator.CreateAfter(other)), answer(operator.CreateAfter(configMap("b"))),
			"ConfigMaps a.(options).CreateAfter:\n  - [\"other\"]\n  + [\"b\"]\n",
		},
		"another deletion policy": {
			answer(operator.WhenDropped(operator.Orphan)), answer(operator.WhenDeleted(operator.Orphan)),
			"ConfigMaps a.(options).WhenDeleted:\n  + \"Orphan\"\nConfigMaps a.(options).WhenDropped:\n  - \"Orphan\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := operatortest.Diff(test.expected, test.got); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	part, whole := &response{Children: new(desired), KeepAll: true}, &response{Children: new(desired)}
	if got := operatortest.Diff(whole, part); got != "KeepAll:\n  - false\n  + true\n" {
		t.Errorf("of a part of an answer: %s", got)
	}
}
