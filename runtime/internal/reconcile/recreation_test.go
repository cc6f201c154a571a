package reconcile

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func TestNewObjectsOfRecreatedChildrenAdopt(t *testing.T) {
	now := time.Now()
	set := func(uid types.UID, age time.Duration, ready int32) client.Object {
		return &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{UID: uid, CreationTimestamp: metav1.NewTime(now.Add(-age))},
			Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(2))},
			Status:     appsv1.StatefulSetStatus{Replicas: ready, ReadyReplicas: ready, UpdatedReplicas: ready, CurrentReplicas: ready, AvailableReplicas: ready},
		}
	}
	const open = `{"parent":"p","children":{"StatefulSet.apps/shop/db":"old"}}`
	for name, test := range map[string]struct {
		record   string
		object   client.Object
		metadata bool // the cache holds no status
		adopting bool
	}{
		"no record":                                {"", set("new", 0, 0), false, false},
		"the record of another parent":             {`{"parent":"q","children":{"StatefulSet.apps/shop/db":"old"}}`, set("new", 0, 0), false, false},
		"a record that is none":                    {"{", set("new", 0, 0), false, false},
		"the record of another child":              {`{"parent":"p","children":{"StatefulSet.apps/shop/other":"old"}}`, set("new", 0, 0), false, false},
		"the old object":                           {open, set("old", time.Hour, 0), false, false},
		"no object":                                {open, nil, false, true},
		"a new object":                             {open, set("new", time.Second, 0), false, true},
		"a new object with all Pods":               {open, set("new", time.Second, 2), false, false},
		"a new object with all Pods, unseen":       {open, set("new", time.Second, 2), true, true},
		"a new object that has had time":           {open, set("new", 31*time.Second, 0), false, false},
		"a new object that has had time, metadata": {open, set("new", 31*time.Second, 0), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			parent := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "p"}}
			if test.record != "" {
				parent.Annotations = map[string]string{"shop.io/recreating": test.record}
			}
			s := &subject{loop: &loop{definition: Definition{Group: "shop.io"}}, parent: parent, now: now}
			kind := &childKind{ChildKind: declared.ChildKind{Metadata: test.metadata}}
			key := newTestTask("StatefulSet", "shop", "db", nil).Key()
			key.Kind.Group = "apps"
			if got := s.isAdopting(kind, key, test.object); got != test.adopting {
				t.Errorf("it adopts: %v, want %v", got, test.adopting)
			}
		})
	}
}
