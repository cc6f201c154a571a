package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// nodeObject is an object that every cluster with a node has.
type nodeObject struct {
	collection string // URL path that it is created at
	name       string
	value      any
}

func (o nodeObject) path() string { return o.collection + "/" + o.name }

// nodeObjects are a default StorageClass, whose volumes are directories of the node, and the Service of the cluster's
// DNS, whose server is a process beside the node's Pods.
func nodeObjects() []nodeObject {
	udp, tcp := corev1.ProtocolUDP, corev1.ProtocolTCP
	port, dns, dnsTCP, ready := int32(53), "dns", "dns-tcp", true
	meta := metav1.ObjectMeta{Name: "kube-dns", Namespace: metav1.NamespaceSystem, Labels: map[string]string{
		"k8s-app": "kube-dns", discoveryv1.LabelServiceName: "kube-dns", discoveryv1.LabelManagedBy: "opgen",
	}}
	delete, immediate := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingImmediate
	return []nodeObject{
		{"/apis/storage.k8s.io/v1/storageclasses", "standard", storagev1.StorageClass{
			TypeMeta:          metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
			ObjectMeta:        metav1.ObjectMeta{Name: "standard", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
			Provisioner:       "kubernetes.io/host-path",
			ReclaimPolicy:     &delete,
			VolumeBindingMode: &immediate,
		}},
		{"/api/v1/namespaces/kube-system/services", "kube-dns", corev1.Service{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: meta,
			Spec: corev1.ServiceSpec{ClusterIP: dnsAddress, Ports: []corev1.ServicePort{
				{Name: dns, Protocol: udp, Port: port, TargetPort: intstr.FromInt32(port)},
				{Name: dnsTCP, Protocol: tcp, Port: port, TargetPort: intstr.FromInt32(port)},
			}},
		}},
		{"/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices", "kube-dns", discoveryv1.EndpointSlice{
			TypeMeta:    metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
			ObjectMeta:  meta,
			AddressType: discoveryv1.AddressTypeIPv4,
			Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{nodeAddress}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
			Ports:       []discoveryv1.EndpointPort{{Name: &dns, Protocol: &udp, Port: &port}, {Name: &dnsTCP, Protocol: &tcp, Port: &port}},
		}},
	}
}

// createNodeObjects creates those that do not exist.
func (i *Instance) createNodeObjects(ctx context.Context, client *http.Client) error {
	for _, object := range nodeObjects() {
		if err := i.createObject(ctx, client, object); err != nil {
			return fmt.Errorf("create %s: %w", object.path(), err)
		}
	}
	return nil
}

func (i *Instance) createObject(ctx context.Context, client *http.Client, object nodeObject) error {
	data, err := json.Marshal(object.value)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.Server+object.collection, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusConflict {
		return fmt.Errorf("%s: %s", response.Status, answer)
	}
	return nil
}
