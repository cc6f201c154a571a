package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestAnOperatorWorksOnItsShardOfTheParents(t *testing.T) {
	t.Parallel()
	a := &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("ours", "one")) })}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options:     func(o *operator.Options) { o.ParentSelector = "tier=web,!canary" },
	})
	ours, theirs := site("ours"), site("theirs")
	ours.Labels, theirs.Labels = map[string]string{"tier": "web"}, map[string]string{"tier": "web", "canary": ""}
	cluster.Create(theirs, ours)
	child := configMap("ours", "")
	cluster.Exists(child)
	if cluster.Settled(); cluster.Get(theirs) && theirs.Status.ObservedGeneration != 0 {
		t.Errorf("it has worked on a parent of others: %+v", theirs.Status)
	}

	// What leaves the share stays as it is, also when its child changes, and after a restart.
	a.setSync(desire(func(*Desired) {}))
	cluster.Update(ours, func() { ours.Labels["canary"] = "" })
	before := cluster.Settled() // no cache shows the parent any more
	cluster.Update(child, func() { child.Data["key"] = "drifted" })
	cluster.Restart()
	cluster.Update(ours, func() { metav1.SetMetaDataAnnotation(&ours.ObjectMeta, "another", "event") })
	cluster.Reconciled(ours, theirs)
	if cluster.Settled() != before {
		t.Errorf("it has worked on what is none of its business: %v", cluster.Requests()[before:])
	}
	if !cluster.Get(child) {
		t.Fatal("the child is gone")
	}

	// What comes back is worked on.
	cluster.Update(ours, func() { delete(ours.Labels, "canary") })
	cluster.Gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "ours"}})
	cluster.Converged(ours)
}
