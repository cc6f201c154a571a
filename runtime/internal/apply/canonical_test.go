package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

type object = map[string]any

func TestCanonical(t *testing.T) {
	for _, test := range []struct {
		name   string
		object any
		want   object
	}{
		{
			"zero structs, nulls, status and system metadata of a typed object go",
			&corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "1", ResourceVersion: "2", Generation: 3},
				Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
				Status:     corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "10.0.0.1"}}}},
			},
			object{"metadata": object{"name": "web"}, "spec": object{"ports": []any{object{"port": int64(80)}}}},
		},
		{
			"a struct that its type never omits stays, even when it is empty",
			&struct {
				Spec struct {
					Size int `json:"size,omitempty"`
				} `json:"spec"`
				Since metav1.Time `json:"since"`
			}{},
			object{"spec": object{}},
		},
		{
			"what stands behind a pointer stays",
			&corev1.Pod{Spec: corev1.PodSpec{Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}}},
			object{"spec": object{"volumes": []any{object{"name": "v", "emptyDir": object{}}}}},
		},
		{
			"a selector of everything stays",
			&networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}}}},
			object{"spec": object{"podSelector": object{}, "ingress": []any{object{"from": []any{object{"podSelector": object{}}}}}}},
		},
		{
			"quantities are written as the API server writes them",
			&corev1.Pod{Spec: corev1.PodSpec{Overhead: corev1.ResourceList{"cpu": resource.MustParse("1000m")}}},
			object{"spec": object{"overhead": object{"cpu": "1"}}},
		},
		{
			"an apply configuration keeps zero values",
			corev1ac.ConfigMap("web", "").WithData(map[string]string{"empty": ""}),
			object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "web"}, "data": object{"empty": ""}},
		},
		{
			"an unstructured object keeps all but nulls and status",
			&unstructured.Unstructured{Object: object{"spec": object{"a": nil, "b": object{}, "c": []any{object{"d": nil}}}, "status": object{"e": "f"}}},
			object{"spec": object{"b": object{}, "c": []any{object{}}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Canonical(test.object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCanonicalLeavesTheObjectAlone(t *testing.T) {
	given := &unstructured.Unstructured{Object: object{"metadata": object{"uid": "1"}, "spec": object{"a": nil}}}
	before := given.DeepCopy()
	if _, err := Canonical(given); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, given); diff != "" {
		t.Errorf("object (-before +after):\n%s", diff)
	}
}

func TestNewDesired(t *testing.T) {
	secret := Desired{
		Kind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Name: types.NamespacedName{Namespace: "default", Name: "web"},
		Policies: declared.Policies{Update: declared.Recreate}, HashKey: "example.com/hash",
	}
	desired, err := NewDesired(secret, object{"stringData": object{"a": "new"}, "data": object{"a": "b2xk", "b": "b2xk"}})
	if err != nil {
		t.Fatal(err)
	}
	want := object{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": object{"name": "web", "namespace": "default", "annotations": object{"example.com/hash": desired.Hash}},
		"data":     object{"a": "bmV3", "b": "b2xk"},
	}
	if diff := cmp.Diff(want, desired.contentWith("", "")); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	again, err := NewDesired(secret, object{"data": object{"b": "b2xk", "a": "bmV3"}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash != desired.Hash {
		t.Error("the same desired state has two hashes")
	}
}
