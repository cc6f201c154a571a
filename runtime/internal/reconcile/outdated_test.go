package reconcile

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestNamesOfOutdatedChildren(t *testing.T) {
	pod := func(uid types.UID, name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, Namespace: "x", Name: name}}
	}
	leaving := pod("3", "c")
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	pods, empty := new(childKind), new(childKind)
	seen := &observed{kinds: []*childKind{empty, pods}, children: [][]client.Object{nil, {pod("1", "a"), pod("2", "b"), leaving}}}
	in := func(name string) types.NamespacedName { return types.NamespacedName{Namespace: "x", Name: name} }
	for name, test := range map[string]struct {
		given outdated
		want  outdatedNames
	}{
		"nobody has asked":                   {nil, nil},
		"one of them":                        {outdated{"2": true}, outdatedNames{pods: {in("b"): true}}},
		"one that goes, and one that is new": {outdated{"1": true, "3": true, "4": true}, outdatedNames{pods: {in("a"): true}}},
	} {
		if got := test.given.namesIn(seen); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	left := outdated{"1": true, "2": true}
	left.remove(pod("1", "a"))
	left.remove(nil)
	if !reflect.DeepEqual(left, outdated{"2": true}) {
		t.Errorf("left are %v", left)
	}
	outdated(nil).remove(pod("1", "a"))
}
