package catset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/catset/api/v1"
)

// The labels that Pods and claims carry beside those of their templates.
const (
	nameLabel    = "ctl.example.com/name"
	ordinalLabel = "ctl.example.com/ordinal"
)

// podsOf returns the Pods that a CatSet wants, by their ordinals.
func podsOf(set *v1.CatSet) []*corev1.Pod {
	pods := make([]*corev1.Pod, *set.Spec.Replicas)
	for ordinal := range pods {
		name := fmt.Sprintf("%s-%d", set.Name, ordinal)
		spec := set.Spec.Template.Spec.DeepCopy()
		spec.Hostname, spec.Subdomain = name, set.Spec.ServiceName
		for i, claim := range claimsOf(set, ordinal) {
			volume := corev1.Volume{Name: set.Spec.VolumeClaimTemplates[i].Name}
			volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
			spec.Volumes = append(spec.Volumes, volume)
		}
		pods[ordinal] = &corev1.Pod{ObjectMeta: metadata(set, name, ordinal, set.Spec.Template.Metadata), Spec: *spec}
	}
	return pods
}

// claimsOf returns the claims of one Pod, in the order of their templates.
func claimsOf(set *v1.CatSet, ordinal int) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for _, template := range set.Spec.VolumeClaimTemplates {
		name := fmt.Sprintf("%s-%s-%d", template.Name, set.Name, ordinal)
		claims = append(claims, &corev1.PersistentVolumeClaim{
			ObjectMeta: metadata(set, name, ordinal, template.Metadata),
			Spec:       template.Spec,
		})
	}
	return claims
}

// metadata is the template's, and the labels that tell whose of all Pods and claims it is.
func metadata(set *v1.CatSet, name string, ordinal int, template *v1.Metadata) metav1.ObjectMeta {
	made := metav1.ObjectMeta{Name: name, Labels: map[string]string{}}
	if template != nil {
		maps.Copy(made.Labels, template.Labels)
		made.Annotations = template.Annotations
	}
	made.Labels[nameLabel], made.Labels[ordinalLabel] = set.Name, strconv.Itoa(ordinal)
	return made
}

// above returns the names of the Pods that exist from an ordinal on, the highest last.
func above(req *Request, from int) []string {
	var names []string
	for _, pod := range slices.SortedFunc(req.Children.Pods.All(), byOrdinal) {
		if ordinalOf(pod) >= from {
			names = append(names, pod.Name)
		}
	}
	return names
}

func byOrdinal(a, b *corev1.Pod) int { return cmp.Compare(ordinalOf(a), ordinalOf(b)) }

func ordinalOf(pod *corev1.Pod) int {
	ordinal, _ := strconv.Atoi(pod.Name[strings.LastIndex(pod.Name, "-")+1:])
	return ordinal
}

// statusOf counts the Pods that exist.
func statusOf(req *Request) *v1.CatSetStatus {
	status := req.Parent.Status
	status.Selector = labels.Set{nameLabel: req.Parent.Name}.String()
	status.Replicas, status.ReadyReplicas = 0, 0
	for pod := range req.Children.Pods.All() {
		status.Replicas++
		if req.Children.Pods.Ready(pod.Name) {
			status.ReadyReplicas++
		}
	}
	return &status
}
