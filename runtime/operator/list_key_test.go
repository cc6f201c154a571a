package operator_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// kubectl edit of a port moves the item of a list. The Service must live on with its
// address.
func TestEditedPortOfAServiceIsPutRight(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.Services.Add(named(&corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "http", Port: 80}}}}, "web"), operator.RecreateIfImmutable)
	})})
	f.status("Ready", "Ready")
	service := named(&corev1.Service{}, "web")
	f.Get(service)
	first := service.DeepCopy()
	f.Update(service, func() {
		service.Spec.Ports[0].Port = 81
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{Name: "theirs", Port: 90})
	})
	f.Eventually("the port is as desired again", func() error {
		if !f.Get(service) || len(service.Spec.Ports) != 2 {
			return fmt.Errorf("the Service is %+v", service.Spec)
		}
		for _, port := range service.Spec.Ports {
			if port.Name == "http" && port.Port != 80 {
				return fmt.Errorf("ports are %+v", service.Spec.Ports)
			}
		}
		return nil
	})
	if service.UID != first.UID || service.Spec.ClusterIP != first.Spec.ClusterIP {
		t.Error("the Service was recreated")
	}
	f.status("Ready", "Ready")
	f.Settled()
	f.Converged(f.site)
}
