package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func fiveChildren(want *Desired) {
	want.ConfigMaps.Add(configMap("web", "one"))
	want.Secrets.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, StringData: map[string]string{"password": "secret"}})
	want.Services.Add(service("web"))
	want.Pods.Add(pod("web", "web:1"))
	want.Accounts.Add(named(operator.Unstructured("v1", "ServiceAccount"), "web"))
}

func TestNewParentCostsOneWritePerChildAndOneForTheStatus(t *testing.T) {
	f := start(t, &author{sync: desire(fiveChildren)})
	f.status("Ready", "Progressing") // the Pod stays pending without a node
	f.reconcile()
	f.expectRequests(0,
		"create configmaps web: 201",
		"create secrets web: 201",
		"create services web: 201",
		"create pods web: 201",
		"create serviceaccounts web: 201",
		"patch sites/status web: 200",
	)
}

func TestConvergedParentCostsNothing(t *testing.T) {
	f := start(t, &author{sync: desire(fiveChildren)})
	f.status("Ready", "Progressing")
	f.reconcile()
	before := len(f.Requests())

	f.reconcile()
	for _, echo := range []func(){
		func() {
			child := named(&corev1.ConfigMap{}, "web")
			f.Update(child, func() { child.Data["other"] = "someone else's" })
		},
		func() {
			child := named(&corev1.Pod{}, "web")
			f.UpdateStatus(child, func() { child.Status.Message = "still pending" })
		},
		func() {
			child := named(&corev1.Service{}, "web")
			f.Update(child, func() { metav1.SetMetaDataLabel(&child.ObjectMeta, "other", "someone-elses") })
		},
	} {
		echo()
		f.reconcile()
	}
	f.expectRequests(before)
}

func TestRestartCostsNothing(t *testing.T) {
	f := start(t, &author{sync: desire(fiveChildren)})
	f.status("Ready", "Progressing")
	f.reconcile()
	before := len(f.Requests())

	f.Restart()
	f.reconcile()
	f.expectRequests(before)
}

func TestApplyConfigurationsAreChildrenToo(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Apply(corev1ac.ConfigMap("web", "").WithData(map[string]string{"empty": ""}))
		want.Services.Apply(corev1ac.Service("web", "").WithSpec(corev1ac.ServiceSpec().
			WithPorts(corev1ac.ServicePort().WithPort(80))))
	})})
	f.status("Ready", "Ready")
	f.reconcile()
	f.expectRequests(0,
		"create configmaps web: 201",
		"create services web: 201",
		"patch sites/status web: 200",
	)
}
