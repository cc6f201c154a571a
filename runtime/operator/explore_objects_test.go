package operator_test

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// exploredKinds are rich children of the kinds that operators make most. Workloads have
// no Pods, so that nothing but the test changes them.
func exploredKinds() []client.Object {
	pods := exploredTemplate("")
	job := batchv1.JobSpec{Suspend: ptr.To(true), BackoffLimit: ptr.To[int32](3), Template: exploredTemplate(corev1.RestartPolicyNever)}
	claim := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: ptr.To("none"),
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
	}
	return []client.Object{
		&corev1.ConfigMap{Data: map[string]string{"empty": "", "text": "a\nb"}, BinaryData: map[string][]byte{"binary": {0, 255}}},
		&corev1.Secret{Data: map[string][]byte{"a": []byte("b")}, StringData: map[string]string{"c": "d"}},
		&corev1.ServiceAccount{AutomountServiceAccountToken: ptr.To(false), ImagePullSecrets: []corev1.LocalObjectReference{{Name: "one"}, {Name: "two"}}},
		&corev1.Service{Spec: corev1.ServiceSpec{
			Selector: selector.MatchLabels, SessionAffinity: corev1.ServiceAffinityClientIP,
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}, {Name: "dns-udp", Port: 53, Protocol: corev1.ProtocolUDP}, {Name: "dns-tcp", Port: 53}},
		}},
		&corev1.PersistentVolumeClaim{Spec: claim},
		&appsv1.Deployment{Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](0), MinReadySeconds: 5, Selector: &selector, Template: pods,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: ptr.To(intstr.FromInt32(2))}},
		}},
		&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To[int32](0), ServiceName: "web", Selector: &selector, Template: pods,
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claim}},
		}},
		&batchv1.Job{Spec: job},
		&batchv1.CronJob{Spec: batchv1.CronJobSpec{
			Schedule: "0 3 * * *", Suspend: ptr.To(true), ConcurrencyPolicy: batchv1.ForbidConcurrent, JobTemplate: batchv1.JobTemplateSpec{Spec: job},
		}},
		&networkingv1.Ingress{Spec: exploredIngress()},
		&networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{
			PodSelector: selector, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(80))}},
				From:  []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}, {IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}},
			}},
		}},
		&rbacv1.Role{Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "services"}, Verbs: []string{"get", "list"}}}},
		&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MinReplicas: ptr.To[int32](2), MaxReplicas: 5,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name: "cpu", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr.To[int32](80)},
			}}},
			Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr.To[int32](60)}},
		}},
		exploredCatalog(),
	}
}

func exploredTemplate(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web", "tier": "front"}},
		Spec: corev1.PodSpec{
			RestartPolicy:   restart,
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)},
			NodeSelector:    map[string]string{"disk": "fast"},
			Tolerations:     []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}},
			InitContainers:  []corev1.Container{{Name: "init", Image: "init:1", Command: []string{"true"}}},
			Containers: []corev1.Container{{
				Name: "main", Image: "web:1", Args: []string{"--port=8080", "--quiet"},
				Env: []corev1.EnvVar{
					{Name: "PLAIN", Value: "value"}, {Name: "EMPTY"},
					{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
				},
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("0.1"), "memory": resource.MustParse("1024Mi")},
					Limits:   corev1.ResourceList{"cpu": resource.MustParse("1000m")},
				},
				ReadinessProbe:  &corev1.Probe{PeriodSeconds: 5, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)}}},
				VolumeMounts:    []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}, {Name: "config", MountPath: "/config", ReadOnly: true}},
				SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"NET_BIND_SERVICE"}}},
			}},
			Volumes: []corev1.Volume{
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: ptr.To(resource.MustParse("1Gi"))}}},
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}, Optional: ptr.To(true)}}},
			},
		},
	}
}

func exploredIngress() networkingv1.IngressSpec {
	backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}}
	path := networkingv1.HTTPIngressPath{Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: backend}
	return networkingv1.IngressSpec{
		TLS: []networkingv1.IngressTLS{{Hosts: []string{"web.example.com"}, SecretName: "web"}},
		Rules: []networkingv1.IngressRule{{
			Host: "web.example.com", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{path}}},
		}},
	}
}

// exploredCatalog is a custom resource with every kind of list.
func exploredCatalog() client.Object {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.opgen.dev/v1", "kind": "Catalog", "metadata": map[string]any{},
		"spec": map[string]any{
			"ratio": 0.5, "level": "low", "enabled": true, "at": "2030-01-01T00:00:00Z", "port": int64(80), "note": "plain",
			"plain": []any{"b", "a"}, "words": []any{"one", "two"}, "tags": []any{"x", "y"},
			"steps": []any{map[string]any{"name": "first", "run": "one"}, map[string]any{"name": "second", "run": "two"}},
			"items": []any{
				map[string]any{"name": "a", "value": "1", "options": map[string]any{"k": "v"}, "inner": []any{map[string]any{"id": int64(1), "text": "in"}, map[string]any{"id": int64(2)}}},
				map[string]any{"name": "b", "value": "2", "weight": int64(5)},
			},
			"ports":    []any{map[string]any{"port": int64(80), "title": "web"}, map[string]any{"port": int64(53), "protocol": "UDP"}},
			"labels":   map[string]any{"k": "v", "app.kubernetes.io/name": "web"},
			"selector": map[string]any{"app": "web"},
			"nested":   map[string]any{"one": "1", "two": "2", "deep": map[string]any{"text": "t"}},
			"tree":     map[string]any{"ratio": 0.5, "list": []any{int64(1), "two", map[string]any{}}, "empty": map[string]any{}, "text": "t"},
		},
	}}
}
