package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// What is wrong with a child holds up those that come after it, and no others.
func TestInvalidChildHoldsUpNoOther(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("earlier", "one"))
		want.ConfigMaps.Add(configMap("good", "one"))
	})})
	f.status("Ready", "Ready")
	twice := func(want *Desired) {
		want.ConfigMaps.Add(configMap("good", "two"))
		want.ConfigMaps.Add(configMap("bad", "one"))
		want.ConfigMaps.Add(configMap("bad", "two"))
		want.Secrets.Add(named(&corev1.Secret{}, "after"), operator.After(configMap("bad", "")))
		want.Secrets.Add(named(&corev1.Secret{}, "long-after"), operator.After(named(&corev1.Secret{}, "after")))
		want.Secrets.Add(named(&corev1.Secret{}, "beside"), operator.After(configMap("good", "")))
	}
	f.setSync(desire(twice))
	f.reconcile()
	if got, want := f.status("Ready", "InvalidChild").Conditions[0].Message, "ConfigMap "+f.Namespace+"/bad is desired twice"; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
	f.Settled()
	f.Exists(named(&corev1.Secret{}, "beside"), configMap("earlier", ""))
	if child := configMap("good", ""); !f.Get(child) || child.Data["key"] != "two" {
		t.Errorf("the valid child is %v", child.Data)
	}
	for _, child := range []*corev1.Secret{named(&corev1.Secret{}, "after"), named(&corev1.Secret{}, "long-after")} {
		if f.Get(child) {
			t.Errorf("Secret %s was made, which comes after an invalid child", child.Name)
		}
	}
	if f.Get(configMap("bad", "")) {
		t.Error("the child that is desired twice was made")
	}

	f.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("bad", "one")) }))
	f.reconcile()
	f.Exists(configMap("bad", ""))
	f.Gone(configMap("earlier", ""), configMap("good", ""))
}
