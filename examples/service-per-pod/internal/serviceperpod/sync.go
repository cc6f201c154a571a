// Package serviceperpod makes a Service for every Pod of the StatefulSets that ask for it.
package serviceperpod

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// The annotations that a StatefulSet asks with.
const (
	labelAnnotation = "service-per-pod"       // the label under which each Pod has its own name
	portsAnnotation = "service-per-pod-ports" // such as 80:8080,443:https,53
)

// Reconciler makes Services.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants a Service for each Pod that the StatefulSet should have, of the name of the Pod. A StatefulSet that no longer
// asks for them has no Sync: the runtime prunes its Services.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	set, want := req.Parent, new(Desired)
	ports, err := parsePorts(set.Annotations[portsAnnotation])
	if err != nil {
		return nil, reconcile.TerminalError(fmt.Errorf("annotation %s: %w", portsAnnotation, err))
	}
	for _, name := range podNames(set) {
		want.Services.Add(&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.ServiceSpec{
				Selector: map[string]string{set.Annotations[labelAnnotation]: name},
				Ports:    ports,
			},
		})
	}
	return &Response{Children: want}, nil
}

// podNames names the Pods of a StatefulSet, by their ordinals.
func podNames(set *appsv1.StatefulSet) []string {
	start, replicas := 0, 1
	if set.Spec.Ordinals != nil {
		start = int(set.Spec.Ordinals.Start)
	}
	if set.Spec.Replicas != nil {
		replicas = int(*set.Spec.Replicas)
	}
	names := make([]string, replicas)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", set.Name, start+i)
	}
	return names
}

// parsePorts reads ports as in 80:8080,443:https,53: what a Service listens to, and which port of the Pod that is, by its
// number or its name, unless it is the same.
func parsePorts(text string) ([]corev1.ServicePort, error) {
	var ports []corev1.ServicePort
	for item := range strings.SplitSeq(text, ",") {
		port, target, differs := strings.Cut(strings.TrimSpace(item), ":")
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || differs && target == "" {
			return nil, fmt.Errorf("%q is neither a port nor port:targetPort", item)
		}
		if !differs {
			target = port
		}
		ports = append(ports, corev1.ServicePort{
			Name: "port-" + port, Protocol: corev1.ProtocolTCP, Port: int32(number), TargetPort: intstr.Parse(target),
		})
	}
	return ports, nil
}
