package podterminator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"

	chaosv1alpha1 "example.com/pod-terminator/api/v1alpha1"
)

// mostVictims is how many Pods a run may choose at the most, since the status names them all.
const mostVictims = 1000

func pending(run *chaosv1alpha1.Run) bool { return run != nil && !run.Done }

// choose lets chance say which Pods a run terminates.
func (r *Reconciler) choose(req *Request) *chaosv1alpha1.Run {
	spec, pods := req.Parent.Spec, living(req)
	r.shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	count := min(len(pods)*int(spec.TerminationPercent)/100, len(pods)-minimum(req), mostVictims)
	run := &chaosv1alpha1.Run{Time: metav1.NewTime(req.Now), Matching: int32(len(pods)), DryRun: spec.DryRun, Done: count <= 0}
	for _, pod := range pods[:max(count, 0)] {
		run.Pods = append(run.Pods, chaosv1alpha1.Victim{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
	}
	return run
}

// terminate deletes the Pods of a run, each by its UID, so that one which is gone or replaced is done with. If others have
// gone since they were chosen, and too few would be left, it spares those that live.
func (r *Reconciler) terminate(ctx context.Context, req *Request, run *chaosv1alpha1.Run) error {
	run.Done = true
	alive := sets.New[string]()
	for _, pod := range living(req) {
		alive.Insert(string(pod.UID))
	}
	if alive.Difference(uidsOf(run)).Len() < minimum(req) {
		run.Pods = slices.DeleteFunc(run.Pods, func(victim chaosv1alpha1.Victim) bool { return alive.Has(victim.UID) })
		return nil
	}
	var failed []error
	for _, victim := range run.Pods {
		failed = append(failed, r.delete(ctx, victim, run.DryRun))
	}
	return errors.Join(failed...)
}

func (r *Reconciler) delete(ctx context.Context, victim chaosv1alpha1.Victim, dryRun bool) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: victim.Namespace, Name: victim.Name}}
	options := []client.DeleteOption{client.Preconditions{UID: ptr.To(types.UID(victim.UID))}}
	if dryRun {
		options = append(options, client.DryRunAll)
	}
	err := r.pods.Delete(ctx, pod, options...)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// living are the matching Pods that run or are about to. Those that the last run has terminated are none, although the
// cache may not know it yet.
func living(req *Request) []*corev1.Pod {
	terminated := sets.New[string]()
	if last := req.Parent.Status.LastRun; last != nil && last.Done && !last.DryRun {
		terminated = uidsOf(last)
	}
	return slices.DeleteFunc(slices.Collect(req.Related.Pods.All()), func(pod *corev1.Pod) bool {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		return ended || pod.DeletionTimestamp != nil || terminated.Has(string(pod.UID))
	})
}

func uidsOf(run *chaosv1alpha1.Run) sets.Set[string] {
	uids := sets.New[string]()
	for _, victim := range run.Pods {
		uids.Insert(victim.UID)
	}
	return uids
}

// minimum is how many Pods are left at least.
func minimum(req *Request) int { return int(*req.Parent.Spec.MinimumInstances) }

func eventOf(run *chaosv1alpha1.Run) operator.Event {
	var names []string
	for _, victim := range run.Pods {
		names = append(names, victim.Namespace+"/"+victim.Name)
	}
	reason := "Terminated"
	if run.DryRun {
		reason = "DryRun"
	}
	return operator.Event{Reason: reason, Message: fmt.Sprintf("%d of %d Pods: %s", len(names), run.Matching, strings.Join(names, ", "))}
}
