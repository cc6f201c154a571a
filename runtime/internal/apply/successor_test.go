package apply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refusedBy returns the refusal of a webhook, as the API server words it.
func refusedBy(webhook, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusBadRequest, Reason: metav1.StatusReasonBadRequest, Message: `admission webhook "` + webhook + `" denied the request: ` + message}}
}

func TestWhatAnOldObjectHoldsIsNoRefusal(t *testing.T) {
	ingress := schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"}
	ofIngress, ofPod := Desired{Kind: ingress, Name: types.NamespacedName{Namespace: "shop", Name: "web"}}, Desired{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Name: types.NamespacedName{Namespace: "shop", Name: "web"}}
	ofClaim := Desired{Kind: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"), Name: types.NamespacedName{Namespace: "shop", Name: "web"}}
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "shop", Name: name} }
	tea := &networkingv1.Ingress{ObjectMeta: named("tea")}
	host := func(owner string) error {
		return refusedBy("validate.nginx.ingress.kubernetes.io", `host "tea.example.com" and path "/" is already defined in ingress `+owner)
	}
	quota := func(text string) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New("exceeded quota: small, "+text))
	}
	amounts := func(cpu string) corev1.ResourceRequirements {
		return corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu)}, Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")}}
	}
	busy := &corev1.Pod{ObjectMeta: named("web"), Spec: corev1.PodSpec{
		InitContainers: []corev1.Container{{Resources: amounts("3")}, {Resources: amounts("1"), RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}},
		Containers:     []corev1.Container{{Resources: amounts("500m")}, {Resources: amounts("500m")}},
	}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: named("web")}
	claim.Spec.Resources.Requests = corev1.ResourceList{"storage": resource.MustParse("5Gi")}
	for name, test := range map[string]struct {
		desired Desired
		refusal error
		old     []client.Object
		want    bool
	}{
		"a host of the old one":                 {ofIngress, host("shop/tea"), []client.Object{tea}, true},
		"a host of one of several":              {ofIngress, host("shop/tea"), []client.Object{&networkingv1.Ingress{ObjectMeta: named("coffee")}, tea}, true},
		"a host of another one":                 {ofIngress, host("shop/tea-room"), []client.Object{tea}, false},
		"a host of another namespace":           {ofIngress, host("big.shop/tea"), []client.Object{tea}, false},
		"a policy of the object's own name":     {ofIngress, refusedBy("names.example.com", "shop/web is reserved"), []client.Object{&networkingv1.Ingress{ObjectMeta: named("web")}}, false},
		"all of a quota":                        {ofPod, quota("requested: pods=1, used: pods=3, limited: pods=3"), []client.Object{busy}, true},
		"not enough of a quota":                 {ofPod, quota("requested: pods=1, used: pods=4, limited: pods=3"), []client.Object{busy}, false},
		"processors of all its containers":      {ofPod, quota("requested: requests.cpu=5, used: requests.cpu=5, limited: requests.cpu=5"), []client.Object{busy}, true},
		"less than a larger one asks for":       {ofPod, quota("requested: requests.cpu=6, used: requests.cpu=5, limited: requests.cpu=5"), []client.Object{busy}, false},
		"an unqualified name":                   {ofPod, quota("requested: cpu=6, used: cpu=5, limited: cpu=5"), []client.Object{busy}, false},
		"a sidecar beside the containers":       {ofPod, quota("requested: limits.memory=3Gi, used: limits.memory=4Gi, limited: limits.memory=4Gi"), []client.Object{busy}, true},
		"two quotas at once, one too small":     {ofPod, quota("requested: pods=1,requests.cpu=9, used: pods=1,requests.cpu=3, limited: pods=1,requests.cpu=4"), []client.Object{busy}, false},
		"the storage of a claim":                {ofClaim, quota("requested: requests.storage=5Gi, used: requests.storage=5Gi, limited: requests.storage=8Gi"), []client.Object{claim}, true},
		"less storage than the new one":         {ofClaim, quota("requested: requests.storage=10Gi, used: requests.storage=5Gi, limited: requests.storage=8Gi"), []client.Object{claim}, false},
		"of which only the metadata is known":   {ofPod, quota("requested: requests.cpu=3, used: requests.cpu=4, limited: requests.cpu=4"), []client.Object{metadataOf(busy)}, true},
		"a service account that does not exist": {ofPod, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New(`error looking up service account shop/missing: serviceaccount "missing" not found`)), []client.Object{busy}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isHeldBy(test.refusal, test.desired, test.old); got != test.want {
				t.Errorf("held by the old object: %v, want %v", got, test.want)
			}
		})
	}
}

func TestPortsAndAddressesOfAnOldServiceAreNotAskedFor(t *testing.T) {
	old := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "old"}, Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.7", ClusterIPs: []string{"10.96.0.7"}, Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080}}}}
	headless := &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "None", ClusterIPs: []string{"None"}}}
	for name, test := range map[string]struct {
		old     client.Object
		ip      string
		port    int64
		content string
	}{
		"its port and address":                {old, "10.96.0.7", 30080, `map[spec:map[ports:[map[port:80]]]]`},
		"the port and address of another one": {old, "10.96.0.8", 30081, `map[spec:map[clusterIP:10.96.0.8 clusterIPs:[10.96.0.8] ports:[map[nodePort:30081 port:80]]]]`},
		"a number that it has elsewhere":      {old, "10.96.0.8", 80, `map[spec:map[clusterIP:10.96.0.8 clusterIPs:[10.96.0.8] ports:[map[nodePort:80 port:80]]]]`},
		"of which nobody knows the spec":      {metadataOf(old), "10.96.0.8", 30081, `map[spec:map[ports:[map[port:80]]]]`},
		"no address, as the old one":          {headless, "None", 30081, `map[spec:map[clusterIP:None clusterIPs:[None] ports:[map[nodePort:30081 port:80]]]]`},
		"no address, of which nobody knows":   {metadataOf(headless), "None", 30081, `map[spec:map[clusterIP:None clusterIPs:[None] ports:[map[port:80]]]]`},
	} {
		t.Run(name, func(t *testing.T) {
			content := map[string]any{"spec": map[string]any{"clusterIP": test.ip, "clusterIPs": []any{test.ip}, "ports": []any{map[string]any{"port": int64(80), "nodePort": test.port}}}}
			before := fmt.Sprint(content)
			desired := Desired{Kind: corev1.SchemeGroupVersion.WithKind("Service"), content: func() map[string]any { return content }}
			if got := fmt.Sprint(desired.withoutHeld([]client.Object{test.old}).content()); got != test.content {
				t.Errorf("it asks for %s, want %s", got, test.content)
			}
			if fmt.Sprint(content) != before {
				t.Error("the desired state itself was changed")
			}
		})
	}
}

func TestAnswersThatCannotBeHad(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"a webhook without dry run":         {apierrors.NewBadRequest(`admission webhook "old.example.com" does not support dry run`), true},
		"a timeout of the API server":       {apierrors.NewTimeoutError("request did not complete", 1), true},
		"a timeout of the client":           {context.DeadlineExceeded, true},
		"a timeout of a webhook":            {apierrors.NewInternalError(errors.New(`failed calling webhook "x.example.com": context deadline exceeded`)), false},
		"a timeout on the way":              {&url.Error{Op: "Post", URL: "https://10.96.0.1", Err: context.DeadlineExceeded}, true},
		"a gateway that waited too long":    {apierrors.NewGenericServerResponse(http.StatusGatewayTimeout, "post", schema.GroupResource{}, "web", "", 0, true), true},
		"too many requests":                 {apierrors.NewTooManyRequests("later", 1), false},
		"an API server that is not there":   {&url.Error{Op: "Post", URL: "https://10.96.0.1", Err: syscall.ECONNREFUSED}, false},
		"an API server that starts":         {apierrors.NewServiceUnavailable("later"), false},
		"a reconcile that is stopped":       {&url.Error{Op: "Post", URL: "https://10.96.0.1", Err: context.Canceled}, false},
		"a webhook that cannot be called":   {apierrors.NewInternalError(errors.New(`failed calling webhook "x.example.com": connection refused`)), false},
		"a webhook that refuses the object": {refusedBy("x.example.com", "no"), false},
		"a right that the operator lacks":   {apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New(`User "op" cannot create resource`)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lacksAnswer(test.err); got != test.want {
				t.Errorf("there is no answer: %v, want %v", got, test.want)
			}
		})
	}
}

func TestNameThatIsTaken(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"by the old object":  {apierrors.NewAlreadyExists(schema.GroupResource{Resource: "pods"}, "web"), true},
		"says a webhook":     {&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists, Message: `admission webhook "x.example.com" denied the request: there is such a thing`}}, false},
		"by another version": {apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web", errors.New("changed")), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isNameConflict(test.err); got != test.want {
				t.Errorf("the name is taken: %v, want %v", got, test.want)
			}
		})
	}
}
