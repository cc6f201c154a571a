package explore

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

func TestATrialChecksItsOwnChild(t *testing.T) {
	p := &exploredParent{children: map[string]*exploredChild{}}
	add := func(kind, name string) *exploredChild {
		c := &exploredChild{parent: p, child: testcontrol.SyncChild{
			Kind: corev1.SchemeGroupVersion.WithKind(kind), Name: types.NamespacedName{Namespace: "test", Name: name},
		}}
		p.children[kind+" "+name] = c
		return c
	}
	own := add("ConfigMap", "web")
	add("Secret", "web.bob")
	for text, expect := range map[string]bool{
		"Ready=False, ValueGone: Secret test/web.bob has lost its value":                                           true,
		"Ready=False, ValueGone: Secret web.bob: it is empty":                                                      true,
		"Ready=False, ValueGone: Secret test/web.bob has lost its value; ConfigMap test/web is refused":            false,
		"Ready=False, InvalidChild: ConfigMap test/web is refused":                                                 false,
		"Ready=False, InvalidChild: Secret test/web.bobby, which is in no trial, is refused":                       false,
		"Ready=False, SyncFailed: there is no such text":                                                           false,
		"Secret test/web.bob is not as desired:\n  data.password:\n    desired: (a value)\n    live:    (another)": true,
	} {
		if got := own.isAboutOthers(text); got != expect {
			t.Errorf("about others: %t, want %t: %s", got, expect, text)
		}
	}
}
