package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/kubelet"
)

// Kubelet plays the kubelet in a cluster without nodes: it makes objects ready.
type Kubelet struct {
	Kubectl   string // the path of the executable
	Namespace string // empty: that of the kubeconfig
}

// playLimit is how long one kubectl waits for a workload before its Pods are looked at once more.
const playLimit = time.Second

// MakeReady writes the status of an object, named KIND/NAME as for kubectl, so that it is ready: that
// of a Pod or a PersistentVolumeClaim, the condition Ready=True of a custom resource, or that of the
// Pods of a workload, until its controller says that it is ready. It ends with ctx.
func (k Kubelet) MakeReady(ctx context.Context, name string) error {
	object := new(unstructured.Unstructured)
	if err := k.read(ctx, object, name); err != nil {
		return err
	}
	group := object.GroupVersionKind().Group
	switch kind := object.GetKind(); {
	case group == "" && kind == "Pod":
		return k.playPod(ctx, object.Object, kubelet.RunPod)
	case group == "" && kind == "PersistentVolumeClaim":
		return k.patchStatus(ctx, name, map[string]any{"phase": corev1.ClaimBound})
	case group == appsv1.GroupName || group == "batch" && kind == "Job":
		return k.makePodsReady(ctx, name, object)
	case group == "" || !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io"):
		return fmt.Errorf("%s: no kubelet makes a %s ready", name, kind)
	}
	if err := kubelet.SetReady(object, time.Now()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return k.patchStatus(ctx, name, map[string]any{"conditions": object.Object["status"].(map[string]any)["conditions"]})
}

// makePodsReady writes the status of a workload's Pods until kubectl says that the workload is
// ready.
func (k Kubelet) makePodsReady(ctx context.Context, name string, workload *unstructured.Unstructured) error {
	k.Namespace = workload.GetNamespace()
	play, wait := kubelet.RunPod, waitArguments(name, workload)
	if workload.GetKind() == "Job" {
		play = kubelet.SucceedPod
	}
	fields, _, _ := unstructured.NestedMap(workload.Object, "spec", "selector")
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &selector); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for {
		if err := k.playPods(ctx, metav1.FormatLabelSelector(&selector), play); err != nil {
			return err
		}
		_, err := k.run(ctx, append(wait, "--timeout="+playLimit.String())...)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s is not ready: %w", name, err)
		}
	}
}

// waitArguments returns the command line of kubectl that waits until a workload is ready.
func waitArguments(name string, workload *unstructured.Unstructured) []string {
	replicas, isSet, _ := unstructured.NestedInt64(workload.Object, "spec", "replicas")
	switch kind := workload.GetKind(); {
	case kind == "Job":
		return []string{"wait", "--for=condition=Complete", name}
	case kind == "Deployment" || kind == "DaemonSet":
		return []string{"rollout", "status", name}
	case isSet && replicas == 0:
		return []string{"wait", "--for=jsonpath={.status.replicas}=0", name}
	}
	return []string{"wait", fmt.Sprintf("--for=jsonpath={.status.readyReplicas}=%d", replicas), name}
}

func (k Kubelet) playPods(ctx context.Context, selector string, play func(*corev1.Pod, time.Time)) error {
	pods := new(unstructured.UnstructuredList)
	if err := k.read(ctx, pods, "pods", "--selector="+selector); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
		if phase != string(corev1.PodPending) && !isCrashing(pod) || pod.GetDeletionTimestamp() != nil {
			continue
		}
		if err := k.playPod(ctx, pod.Object, play); err != nil {
			return err
		}
	}
	return nil
}

// isCrashing reports whether a Pod runs and is not ready.
func isCrashing(pod unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	containers, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	for _, item := range containers {
		if container, _ := item.(map[string]any); container["ready"] == false && phase == string(corev1.PodRunning) {
			return true
		}
	}
	return false
}

func (k Kubelet) playPod(ctx context.Context, content map[string]any, play func(*corev1.Pod, time.Time)) error {
	pod := new(corev1.Pod)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, pod); err != nil {
		return err
	}
	play(pod, time.Now())
	k.Namespace = pod.Namespace
	return k.patchStatus(ctx, "pod/"+pod.Name, pod.Status)
}

func (k Kubelet) patchStatus(ctx context.Context, name string, status any) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = k.run(ctx, "patch", name, "--subresource=status", "--type=merge", "--patch="+string(patch))
	return err
}

// read reads an object, or the objects of a list.
func (k Kubelet) read(ctx context.Context, into interface{ UnmarshalJSON([]byte) error }, arguments ...string) error {
	data, err := k.run(ctx, append([]string{"get", "--output=json"}, arguments...)...)
	if err != nil {
		return err
	}
	return into.UnmarshalJSON(data)
}

// run runs kubectl in the namespace and returns what it prints.
func (k Kubelet) run(ctx context.Context, arguments ...string) ([]byte, error) {
	if k.Namespace != "" {
		arguments = append(arguments, "--namespace="+k.Namespace)
	}
	return runKubectl(ctx, k.Kubectl, append(arguments, "--request-timeout=30s")...)
}
