package deploy

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// networkPolicyComponent closes the operator's Pods: whatever Sync calls beside the API server needs a
// rule of the author's.
func (o Operator) networkPolicyComponent() Component {
	return Component{
		Name:    "network-policies",
		Purpose: "closes the network of the operator: what Sync calls besides the API server needs a rule of yours",
		about: "Only what follows reaches the operator's Pods: scrapes of metrics from namespaces with the label metrics: enabled, and" + "\n" +
			"webhooks. They reach only ports 443 and 6443, one of which is the API server's, and DNS in kube-system. What Sync calls" + "\n" +
			"beside that, such as a database, needs a NetworkPolicy of yours. Some networks enforce no NetworkPolicies.",
		objects: []runtime.Object{o.networkPolicy()},
	}
}

// networkPolicy selects the operator's Pods alone, since others may be in the namespace. Probes of the
// kubelet need no rule: a node may always reach its Pods.
//
// No selector finds the API server, which is no Pod in most clusters and whose address is another one in
// each. The policy therefore names its ports only.
func (o Operator) networkPolicy() *networkingv1.NetworkPolicy {
	ingress := []networkingv1.NetworkPolicyIngressRule{{
		From:  []networkingv1.NetworkPolicyPeer{namespacesWith("metrics", "enabled")},
		Ports: portRules(corev1.ProtocolTCP, metricsPort),
	}}
	if o.ServesWebhooks() {
		ingress = append(ingress, networkingv1.NetworkPolicyIngressRule{Ports: portRules(corev1.ProtocolTCP, webhookPort)})
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: networkingv1.SchemeGroupVersion.String(), Kind: "NetworkPolicy"},
		ObjectMeta: o.metaIn(o.Namespace(), o.ManagerName()),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: o.podLabels()},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     ingress,
			Egress: []networkingv1.NetworkPolicyEgressRule{
				{Ports: portRules(corev1.ProtocolTCP, 443, 6443)},
				{
					To:    []networkingv1.NetworkPolicyPeer{namespacesWith(corev1.LabelMetadataName, metav1.NamespaceSystem)},
					Ports: append(portRules(corev1.ProtocolUDP, 53), portRules(corev1.ProtocolTCP, 53)...),
				},
			},
		},
	}
}

func namespacesWith(label, value string) networkingv1.NetworkPolicyPeer {
	return networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: value}}}
}

func portRules(protocol corev1.Protocol, ports ...int32) (rules []networkingv1.NetworkPolicyPort) {
	for _, port := range ports {
		number := intstr.FromInt32(port)
		rules = append(rules, networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &number})
	}
	return rules
}
