package operatortest_test

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The children in the tests of simulations.
type (
	parts struct {
		ConfigMaps  operator.Snapshot[*corev1.ConfigMap]
		Deployments operator.Snapshot[*appsv1.Deployment]
		Jobs        operator.Snapshot[*batchv1.Job]
		Pods        operator.Snapshot[*corev1.Pod]
		Secrets     operator.Snapshot[*corev1.Secret]
	}
	desiredParts struct {
		ConfigMaps  operator.DesiredSet[*corev1.ConfigMap]
		Deployments operator.DesiredSet[*appsv1.Deployment]
		Jobs        operator.DesiredSet[*batchv1.Job]
		Pods        operator.DesiredSet[*corev1.Pod]
		Secrets     operator.DesiredSet[*corev1.Secret]
	}
	partsRequest  = operator.Request[*Ledger, parts, struct{}]
	partsResponse = operator.Response[desiredParts, LedgerStatus]
	partsSync     = func(context.Context, *partsRequest) (*partsResponse, error)
	partsCase     = operatortest.Case[partsRequest, partsResponse]
)

// partsController has the kinds, with what a spec file might say of some of them.
func partsController(sync partsSync) operator.Controller {
	return operator.NewController(operator.Definition[*Ledger, LedgerStatus, parts, desiredParts, struct{}]{
		Name: "parts", Group: group, Parents: []operator.ParentKind{{Object: new(Ledger)}}, Sync: sync,
		Kinds: func(observed *parts, desired *desiredParts) []operator.ChildKind {
			return []operator.ChildKind{
				{Object: new(corev1.ConfigMap), Policies: operator.Policies{Update: operator.CreateOnly}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
				{Object: new(appsv1.Deployment), KeepDesired: true, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)},
				{Object: new(batchv1.Job), History: &operator.History{Failed: 1}, Fields: operator.Bind(&observed.Jobs, &desired.Jobs)},
				{Object: new(corev1.Pod), Policies: operator.Policies{Update: operator.RollingRecreate}, Fields: operator.Bind(&observed.Pods, &desired.Pods)},
				{Object: new(corev1.Secret), PruneOnly: true},
			}
		},
	})
}

func newLedger() *Ledger {
	return &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}, Spec: LedgerSpec{Text: "one"}}
}

func named[T client.Object](object T, name ...string) T {
	object.SetName("web")
	if len(name) > 0 {
		object.SetName(name[0])
	}
	return object
}

// desireParts returns a Sync that desires these children, named after the parent unless they have a
// name.
func desireParts(children ...client.Object) partsSync {
	return func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		want := new(desiredParts)
		for _, child := range children {
			child := child.DeepCopyObject().(client.Object)
			if child.GetName() == "" {
				child.SetName(req.Parent.Name)
			}
			want.add(child)
		}
		return &partsResponse{Children: want}, nil
	}
}

func (d *desiredParts) add(child client.Object, options ...operator.ChildOption) {
	switch child := child.(type) {
	case *corev1.ConfigMap:
		d.ConfigMaps.Add(child, options...)
	case *appsv1.Deployment:
		d.Deployments.Add(child, options...)
	case *batchv1.Job:
		d.Jobs.Add(child, options...)
	case *corev1.Pod:
		d.Pods.Add(child, options...)
	case *corev1.Secret:
		d.Secrets.Add(child, options...)
	}
}
