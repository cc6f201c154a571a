package bluegreendeployment

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "example.com/bluegreen/api/v1"
)

// colorLabel is the label of the Pods by which the Service selects one color.
const colorLabel = "color"

// replicaSetFor returns the ReplicaSet of a color with all replicas, and whether it has the
// template of the spec. A change of its template would leave its Pods as they are. So it keeps the
// template that it has until it has no Pods.
func replicaSetFor(req *Request, color v1.Color) (*appsv1.ReplicaSet, bool) {
	spec := req.Parent.Spec
	template := spec.Template.DeepCopy()
	metav1.SetMetaDataLabel(&template.ObjectMeta, colorLabel, string(color))
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: nameOf(req.Parent, color)},
		Spec: appsv1.ReplicaSetSpec{
			Replicas:        spec.Replicas,
			MinReadySeconds: spec.MinReadySeconds,
			Selector:        metav1.CloneSelectorAndAddLabel(&spec.Selector, colorLabel, string(color)),
			Template:        *template,
		},
	}
	observed, exists := req.Children.ReplicaSets.Get(set.Name)
	if !exists || isEmpty(observed) {
		return set, true
	}
	last, known := req.Children.ReplicaSets.Desired(set.Name)
	if !known { // somebody has edited the record while the operator was down
		last = observed // it has the defaults of the API server, too: the spec is rolled out again
	}
	set.Spec.Template = last.Spec.Template
	return set, equality.Semantic.DeepEqual(&last.Spec.Template, template)
}

func nameOf(parent *v1.BlueGreenDeployment, color v1.Color) string {
	return parent.Name + "-" + string(color)
}

// isEmpty reports whether a ReplicaSet has no Pods and is about to create none.
func isEmpty(set *appsv1.ReplicaSet) bool {
	return *set.Spec.Replicas == 0 && set.Status.Replicas == 0 && isObserved(set)
}

// isAvailable reports whether a ReplicaSet has as many available Pods as are desired.
func isAvailable(req *Request, desired *appsv1.ReplicaSet) bool {
	set, ok := req.Children.ReplicaSets.Get(desired.Name)
	return ok && set.Status.AvailableReplicas >= *desired.Spec.Replicas && isObserved(set)
}

// isObserved reports whether the status of a ReplicaSet is of its latest spec.
func isObserved(set *appsv1.ReplicaSet) bool {
	return set.Status.ObservedGeneration >= set.Generation
}

// serviceFor returns the Service of the spec, which selects the Pods of one color.
func serviceFor(parent *v1.BlueGreenDeployment, color v1.Color) *corev1.Service {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: parent.Spec.Service.Name},
		Spec:       *parent.Spec.Service.Spec.DeepCopy(),
	}
	service.Spec.Selector = labels.Merge(service.Spec.Selector, labels.Set{colorLabel: string(color)})
	return service
}

// statusOf returns the status in which a color is the active one.
func statusOf(req *Request, active v1.Color) *v1.BlueGreenDeploymentStatus {
	return &v1.BlueGreenDeploymentStatus{
		ActiveColor: active,
		Active:      countsOf(req, active),
		Inactive:    countsOf(req, otherColor(active)),
	}
}

func countsOf(req *Request, color v1.Color) *v1.Counts {
	set, ok := req.Children.ReplicaSets.Get(nameOf(req.Parent, color))
	if !ok {
		return &v1.Counts{}
	}
	return &v1.Counts{
		Replicas:          set.Status.Replicas,
		ReadyReplicas:     set.Status.ReadyReplicas,
		AvailableReplicas: set.Status.AvailableReplicas,
	}
}
