package serviceperpod

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func newSet(ports string) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{
		Name:        "web",
		Annotations: map[string]string{labelAnnotation: "pod-name", portsAnnotation: ports},
	}}
}

func service(name string, ports ...corev1.ServicePort) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"pod-name": name}, Ports: ports},
	}
}

func port(name string, number int32, target intstr.IntOrString) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Protocol: corev1.ProtocolTCP, Port: number, TargetPort: target}
}

func answer(services ...*corev1.Service) *Response {
	want := new(Desired)
	for _, service := range services {
		want.Services.Add(service)
	}
	return &Response{Children: want}
}

func TestSync(t *testing.T) {
	http := port("port-80", 80, intstr.FromInt32(8080))
	two, none := newSet("80:8080"), newSet("80:8080")
	two.Spec.Replicas, two.Spec.Ordinals = new(int32), &appsv1.StatefulSetOrdinals{Start: 5}
	*two.Spec.Replicas = 2
	none.Spec.Replicas = new(int32)

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:   "one Pod by default",
			Given:  Request{Parent: newSet("80:8080")},
			Expect: answer(service("web-0", http)),
		},
		operatortest.Case[Request, Response]{
			Name:   "Pods with ordinals that begin somewhere else",
			Given:  Request{Parent: two},
			Expect: answer(service("web-5", http), service("web-6", http)),
		},
		operatortest.Case[Request, Response]{
			Name:   "no Pods, no Services",
			Given:  Request{Parent: none},
			Expect: answer(),
		},
		operatortest.Case[Request, Response]{
			Name:  "several ports, to a number, a name, and the same",
			Given: Request{Parent: newSet("80:8080, 443:https,53")},
			Expect: answer(service("web-0", http,
				port("port-443", 443, intstr.FromString("https")), port("port-53", 53, intstr.FromInt32(53)))),
		},
		operatortest.Case[Request, Response]{
			Name:        "no ports",
			Given:       Request{Parent: newSet("")},
			ExpectError: `annotation service-per-pod-ports: "" is neither a port nor port:targetPort`,
		},
		operatortest.Case[Request, Response]{
			Name:        "half a port",
			Given:       Request{Parent: newSet("80:8080,443:")},
			ExpectError: `"443:" is neither`,
		},
		operatortest.Case[Request, Response]{
			Name:        "a port that there is not",
			Given:       Request{Parent: newSet("65536")},
			ExpectError: `"65536" is neither`,
		},
	)
}
