package apply

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podTemplate has every value that the API server is known to complete.
func podTemplate(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{
			RestartPolicy:   restart,
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)},
			Tolerations:     []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "main", Image: "web:1", Args: []string{"--port=8080"},
				Env: []corev1.EnvVar{
					{Name: "EMPTY"},
					{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
					{Name: "LIMIT", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu"}}},
				},
				Ports:          []corev1.ContainerPort{{ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: "UDP"}},
				Resources:      corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("1000m")}},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(8080)}}},
			}},
			Volumes: []corev1.Volume{
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
					{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "uid", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.uid"}}}}},
				}}}},
			},
		},
	}
}

func kinds() []client.Object {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	template, job := podTemplate(""), batchv1.JobSpec{
		Template: podTemplate(corev1.RestartPolicyNever),
		PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionIgnore, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: "DisruptionTarget"}}}}},
	}
	claim := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
	}
	return []client.Object{
		&corev1.ConfigMap{Data: map[string]string{"empty": "", "text": "a\nb"}, BinaryData: map[string][]byte{"binary": {0, 255}}},
		&corev1.Secret{Data: map[string][]byte{"a": []byte("b")}, StringData: map[string]string{"c": "d"}},
		&corev1.ServiceAccount{AutomountServiceAccountToken: ptr.To(false)},
		&corev1.Service{Spec: corev1.ServiceSpec{Selector: selector.MatchLabels, Ports: []corev1.ServicePort{
			{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}, {Name: "dns-udp", Port: 53, Protocol: "UDP"}, {Name: "dns-tcp", Port: 53}}}},
		&corev1.PersistentVolumeClaim{Spec: claim},
		&corev1.Pod{Spec: template.Spec},
		&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}},
		&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](2), ServiceName: "web", Selector: selector, Template: template,
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claim}}}},
		&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}},
		&batchv1.Job{Spec: job},
		&batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: job}}},
		&networkingv1.Ingress{Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: "web.example.com",
			IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
				Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{
					Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}}}}}}}}}},
		&networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{PodSelector: *selector, Ingress: []networkingv1.NetworkPolicyIngressRule{{
			Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(80))}}, From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}}}},
		&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 3,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu",
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr.To[int32](80)}}}}}},
		&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(1)), Selector: selector}},
		&rbacv1.Role{Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}},
		&rbacv1.RoleBinding{RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "web"}, Subjects: []rbacv1.Subject{{Kind: "User", Name: "me"}, {Kind: "ServiceAccount", Name: "web"}}},
		gadget(object{"list": []any{object{"name": "a"}}, "tree": object{"ratio": 0.5, "whole": 2.0, "list": []any{1, "two", object{}}, "empty": object{}}}),
	}
}

// TestKinds shows that a child of any kind costs no request while it is in sync: not in the next
// reconcile, and not after a restart. A hash that was removed meanwhile costs the apply that puts it
// back. Values that a CRD completes inside of atomic values cost an apply after each start.
func TestKinds(t *testing.T) {
	for _, plain := range []bool{false, true} {
		for _, object := range kinds() {
			t.Run(fmt.Sprintf("%s %T", ways[plain], object), func(t *testing.T) {
				c := startServer(t).child(named(object), Desired{})
				c.applied = !plain
				c.expect(object, Created, creation[plain])
				c.expect(object, Unchanged, "")
				c.restart()
				if _, custom := object.(*unstructured.Unstructured); custom {
					c.expect(object, map[bool]Action{true: Updated, false: Unchanged}[plain], "apply 200")
				}
				c.expect(object, Unchanged, "")
				if plain || slices.Contains([]string{"Gadget", "Pod"}, c.wish.Kind.Kind) {
					return
				}
				c.edit("someone", strip)
				c.restart()
				c.expect(object, Updated, "apply 200")
				c.expect(object, Unchanged, "")
			})
		}
	}
}
