package operator_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

var (
	metadata = metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}}
	selector = metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)},
			InitContainers:  []corev1.Container{{Name: "init", Image: "init:1", Command: []string{"true"}}},
			Containers: []corev1.Container{{
				Name:  "main",
				Image: "web:1",
				Args:  []string{"--port=8080"},
				Env: []corev1.EnvVar{
					{Name: "PLAIN", Value: "value"},
					{Name: "EMPTY"},
					{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
					{Name: "LIMIT", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu"}}},
				},
				Ports: []corev1.ContainerPort{{ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("0.1"), "memory": resource.MustParse("1024Mi")},
					Limits:   corev1.ResourceList{"cpu": resource.MustParse("1000m")},
				},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(8080)}}},
				VolumeMounts:   []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}, {Name: "config", MountPath: "/config"}},
			}},
			Tolerations: []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}},
			Volumes: []corev1.Volume{
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}},
			},
		},
	}
	claim = corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
	}
)

// everyKind are children of the kinds that operators make most, as their
// authors write them.
var everyKind = []client.Object{
	&corev1.ConfigMap{ObjectMeta: metadata, Data: map[string]string{"empty": "", "text": "a\nb"}, BinaryData: map[string][]byte{"binary": {0, 255}}},
	&corev1.Secret{ObjectMeta: metadata, Data: map[string][]byte{"a": []byte("b")}, StringData: map[string]string{"c": "d"}},
	&corev1.ServiceAccount{ObjectMeta: metadata, AutomountServiceAccountToken: ptr.To(false)},
	&corev1.Service{ObjectMeta: metadata, Spec: corev1.ServiceSpec{Selector: selector.MatchLabels, Ports: []corev1.ServicePort{
		{Name: "http", Port: 80, TargetPort: intstr.FromString("http")},
		{Name: "dns-udp", Port: 53, Protocol: corev1.ProtocolUDP},
		{Name: "dns-tcp", Port: 53},
	}}},
	&corev1.PersistentVolumeClaim{ObjectMeta: metadata, Spec: claim},
	&corev1.Pod{ObjectMeta: metadata, Spec: template.Spec},
	&appsv1.Deployment{ObjectMeta: metadata, Spec: appsv1.DeploymentSpec{Selector: &selector, Template: template}},
	&appsv1.StatefulSet{ObjectMeta: metadata, Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](2), ServiceName: "web", Selector: &selector, Template: template,
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claim}}}},
	&appsv1.DaemonSet{ObjectMeta: metadata, Spec: appsv1.DaemonSetSpec{Selector: &selector, Template: template}},
	&batchv1.Job{ObjectMeta: metadata, Spec: batchv1.JobSpec{Template: never(template)}},
	&batchv1.CronJob{ObjectMeta: metadata, Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: never(template)}}}},
	&networkingv1.Ingress{ObjectMeta: metadata, Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: "web.example.com",
		IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
			Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{
				Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}},
		}}}}}}}},
	&networkingv1.NetworkPolicy{ObjectMeta: metadata, Spec: networkingv1.NetworkPolicySpec{PodSelector: selector, Ingress: []networkingv1.NetworkPolicyIngressRule{{
		Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(80))}}, From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}}}},
	&autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metadata, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 3,
		Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu",
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr.To[int32](80)}}}},
	}},
	&policyv1.PodDisruptionBudget{ObjectMeta: metadata, Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(1)), Selector: &selector}},
	&rbacv1.Role{ObjectMeta: metadata, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}},
	&rbacv1.RoleBinding{ObjectMeta: metadata, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "web"}, Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "web"}}},
	&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.opgen.dev/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "web"},
		"spec":     map[string]any{"tree": map[string]any{"ratio": 0.5, "whole": 2.0, "list": []any{1, "two", map[string]any{}}, "empty": map[string]any{}}},
	}},
}

func never(template corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return template
}

type (
	kindChildren []operator.Snapshot[client.Object]
	kindDesired  []operator.DesiredSet[client.Object]
)

// kindController makes a controller whose parents want one child of each kind.
func kindController(operator.Manager) ([]operator.Controller, error) {
	return []operator.Controller{operator.NewController(operator.Definition[*testapi.Site, testapi.Status, kindChildren, kindDesired, struct{}]{
		Name:    "every-kind",
		Group:   testapi.Version.Group,
		Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds: func(observed *kindChildren, desired *kindDesired) (kinds []operator.ChildKind) {
			*observed = make(kindChildren, len(everyKind))
			if *desired == nil {
				*desired = make(kindDesired, len(everyKind))
			}
			for i, object := range everyKind {
				kinds = append(kinds, operator.ChildKind{Object: emptied(object), Fields: operator.Bind(&(*observed)[i], &(*desired)[i])})
			}
			return kinds
		},
		Status: func(s *testapi.Site) *testapi.Status { return &s.Status },
		Sync: func(_ context.Context, req *operator.Request[*testapi.Site, kindChildren, struct{}]) (*operator.Response[kindDesired, testapi.Status], error) {
			want := make(kindDesired, len(everyKind))
			for i, object := range everyKind {
				if _, isPod := object.(*corev1.Pod); isPod {
					want[i].Add(object, operator.Recreate)
					continue
				}
				want[i].Add(object)
			}
			return &operator.Response[kindDesired, testapi.Status]{Children: &want, Status: &testapi.Status{Phase: req.Parent.Spec.Text}}, nil
		},
	})}, nil
}

// emptied returns an empty object of the same kind.
func emptied(object client.Object) client.Object {
	if _, ok := object.(*unstructured.Unstructured); ok {
		gvk := object.GetObjectKind().GroupVersionKind()
		return operator.Unstructured(gvk.GroupVersion().String(), gvk.Kind)
	}
	return reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
}

// The cluster's own controllers write to most of these children meanwhile.
func TestEveryKindConverges(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: kindController,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	})
	parent := site("web")
	cluster.Create(parent)
	// reconcile causes a reconcile and returns the requests to children since the last.
	made := 0
	reconcile := func(text string) (children []string) {
		t.Helper()
		cluster.Update(parent, func() { parent.Spec.Text = text })
		cluster.Eventually("a reconcile writes "+text, func() error {
			if cluster.Get(parent); parent.Status.Phase != text {
				return fmt.Errorf("status is %+v", parent.Status)
			}
			return nil
		})
		cluster.Settled()
		for _, request := range cluster.Requests()[made:] {
			if !strings.HasPrefix(request.Resource, "sites") { // a busy machine lets the operator ask for the parent
				children = append(children, request.String())
			}
		}
		made = len(cluster.Requests())
		return children
	}
	if created := reconcile("created"); len(created) != len(everyKind) {
		t.Errorf("requests for %d children: %q", len(everyKind), created)
	}
	if requests := reconcile("unchanged"); len(requests) > 0 {
		t.Errorf("a reconcile of converged children made requests: %q", requests)
	}

	cluster.Restart()
	if requests := reconcile("restarted"); len(requests) > 0 {
		t.Errorf("a restart made requests: %q", requests)
	}
	if requests := reconcile("unchanged since"); len(requests) > 0 {
		t.Errorf("a reconcile of converged children made requests: %q", requests)
	}
}
