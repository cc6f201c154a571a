package deploy

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// replicas is how many Pods the operator has: one that works, and one that takes over within seconds
// when it ends.
const replicas = 2

// rollingUpdate ends an old Pod only when a new one is ready, so that an image that does not start
// leaves the old Pods as they are.
func rollingUpdate() appsv1.DeploymentStrategy {
	none, one := intstr.FromInt32(0), intstr.FromInt32(1)
	return appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &none, MaxSurge: &one},
	}
}

// spread prefers another node and another zone for each Pod of a revision. A cluster with a single
// node runs them all the same.
func (o Operator) spread() (constraints []corev1.TopologySpreadConstraint) {
	for _, key := range []string{corev1.LabelHostname, corev1.LabelTopologyZone} {
		constraints = append(constraints, corev1.TopologySpreadConstraint{
			MaxSkew:           1,
			TopologyKey:       key,
			WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector:     &metav1.LabelSelector{MatchLabels: o.podLabels()},
			MatchLabelKeys:    []string{appsv1.DefaultDeploymentUniqueLabelKey},
		})
	}
	return constraints
}

// disruptionBudget lets a drain of nodes evict one Pod at a time. It counts what is unavailable, so
// that a drain is never blocked: not with a single replica, and not by Pods that are not ready.
func (o Operator) disruptionBudget() *policyv1.PodDisruptionBudget {
	one, always := intstr.FromInt32(1), policyv1.AlwaysAllow
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: policyv1.SchemeGroupVersion.String(), Kind: "PodDisruptionBudget"},
		ObjectMeta: o.metaIn(o.Namespace(), o.ManagerName()),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable:             &one,
			Selector:                   &metav1.LabelSelector{MatchLabels: o.podLabels()},
			UnhealthyPodEvictionPolicy: &always,
		},
	}
}

// priority is above that of Pods without a class, and far below those of the system.
const priority = 1_000_000

// priorityClass returns the class of the operator's Pods: they are scheduled before Pods without a
// class, and evicted after them when a node runs out of memory. They push no other Pod out of a node.
func (o Operator) priorityClass() *schedulingv1.PriorityClass {
	never := corev1.PreemptNever
	return &schedulingv1.PriorityClass{
		TypeMeta:         metav1.TypeMeta{APIVersion: schedulingv1.SchemeGroupVersion.String(), Kind: "PriorityClass"},
		ObjectMeta:       o.objectMeta(o.priorityClassName()),
		Value:            priority,
		PreemptionPolicy: &never,
		Description:      "The operator " + o.Name + ": before Pods without a class, and without preemption.",
	}
}

// priorityClassName returns the name of the class. The API server keeps names with system- for itself.
func (o Operator) priorityClassName() string {
	if strings.HasPrefix(o.Name, "system-") {
		return "operator-" + o.ManagerName()
	}
	return o.ManagerName()
}
