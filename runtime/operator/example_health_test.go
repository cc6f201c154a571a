package operator_test

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// readyPod returns a Pod of an image that is ready.
func readyPod(name, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: called(name), Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: image}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// failedJob returns a Job that has failed at noon.
func failedJob(name, why string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: called(name), Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Message: why, LastTransitionTime: metav1.NewTime(open)},
	}}}
}

// Sync knows how far a replica lags; its Pod does not.
func ExampleReadyIf() {
	lags := map[string]time.Duration{"tea-0": 0, "tea-1": time.Minute}
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		for number := range int(shop.Spec.Replicas) {
			pod := podFor(shop, number)
			caughtUp := lags[pod.Name] < 10*time.Second
			want.Pods.Add(pod, operator.RollingRecreate, operator.ReadyIf(caughtUp, "has not caught up"))
		}
	}), tea(nil))
	// Output:
	// Pod tea-0, RollingRecreate
	// Pod tea-1, RollingRecreate, has not caught up
}

// Backups and migrations are Jobs of one kind, each with a history of its own.
func ExampleSnapshot_Where() {
	isBackup := func(job *batchv1.Job) bool { return job.Labels["role"] == "backup" }
	labelled := func(name, role string) *batchv1.Job {
		job := failedJob(name, "")
		job.Labels = map[string]string{"role": role}
		return job
	}
	show(wanting(func(_ *Shop, req *shopRequest, want *shopDesired) {
		backups := req.Children.Jobs.Where(isBackup)
		want.Jobs.Keep(operator.Runs(backups, operator.History{Succeeded: 3, Failed: 1})...)
	}), tea(func(req *shopRequest) {
		req.Children.Jobs = operator.NewSnapshot(labelled("tea-1", "backup"), labelled("tea-2", "migration"))
	}))
	// Output:
	// Job tea-1 is kept
}

// A Job that has failed is made again after a minute.
func ExampleSnapshot_Failed() {
	show(wanting(func(shop *Shop, req *shopRequest, want *shopDesired) {
		failure, failed := req.Children.Jobs.Failed(shop.Name)
		again := failed && req.Now.Sub(failure.Since) > time.Minute
		want.Jobs.Add(jobFor(shop, shop.Name), operator.RecreateIf(again))
		if failed {
			fmt.Println("the Job failed at", failure.Since.UTC().Format("15:04")+":", failure.Message)
		}
		fmt.Println("made again:", again)
	}), tea(func(req *shopRequest) { req.Children.Jobs = operator.NewSnapshot(failedJob("tea", "ran out of cups")) }))
	// Output:
	// the Job failed at 12:00: ran out of cups
	// made again: true
	// Job tea
}

func ExampleSnapshot_Health() {
	req := tea(func(req *shopRequest) {
		req.Children.Pods = operator.NewSnapshot(readyPod("tea-0", "shop:1"), &corev1.Pod{ObjectMeta: called("tea-1")})
		req.Children.Jobs = operator.NewSnapshot(failedJob("tea", "ran out of cups"))
	})
	for _, of := range []operator.Health{
		req.Children.Pods.Health("tea-0"),
		req.Children.Pods.Health("tea-1"),
		req.Children.Pods.Health("tea-2"),
		req.Children.Jobs.Health("tea"),
	} {
		switch of.State {
		case operator.HealthReady:
			fmt.Println("it is ready")
		case operator.HealthInProgress:
			fmt.Println("it gets ready: it", of.Message)
		case operator.HealthFailed:
			fmt.Println("it needs help:", of.Message)
		}
	}
	// Output:
	// it is ready
	// it gets ready: it is not ready
	// it gets ready: it is missing
	// it needs help: ran out of cups
}

// HealthState is what the state of a child can be compared with.
func ExampleHealthState() {
	states := map[operator.HealthState]int{}
	pods := operator.NewSnapshot(readyPod("tea-0", "shop:1"), readyPod("tea-1", "shop:1"), &corev1.Pod{ObjectMeta: called("tea-2")})
	for pod := range pods.All() {
		states[pods.Health(pod.Name).State]++
	}
	fmt.Println(states[operator.HealthReady], "are ready,", states[operator.HealthInProgress], "are not")
	// Output:
	// 2 are ready, 1 are not
}

// Pods that get ready together only are recreated at once when all of them are down.
func ExampleSnapshot_Outdated() {
	show(func(_ context.Context, req *shopRequest) (*shopResponse, error) {
		shop, want, status, down := req.Parent, new(shopDesired), req.Parent.Status, true
		pods := req.Children.Pods
		for number := range int(shop.Spec.Replicas) {
			down = down && !pods.Ready(podFor(shop, number).Name)
		}
		for number := range int(shop.Spec.Replicas) {
			pod := podFor(shop, number)
			outdated := pods.Outdated(pod.Name)
			want.Pods.Add(pod, operator.RollingRecreate, operator.RecreateIf(down && outdated))
			if outdated {
				status.Phase = "Updating"
			}
		}
		return &shopResponse{Children: want, Status: &status}, nil
	}, tea(func(req *shopRequest) {
		req.Children.Pods = operator.NewSnapshot(podFor(req.Parent, 0), podFor(req.Parent, 1)).WithOutdated("tea-1")
	}))
	// Output:
	// Pod tea-0, RollingRecreate
	// Pod tea-1, RollingRecreate
	// status: phase "Updating", copies 0
}

func ExampleSnapshot_WithOutdated() {
	pods := operator.NewSnapshot(readyPod("tea-0", "shop:2"), readyPod("tea-1", "shop:1")).WithOutdated("tea-1")
	fmt.Println(pods.Outdated("tea-0"), pods.Outdated("tea-1"), pods.Outdated("tea-2"))
	// Output:
	// false true false
}

// Nobody writes the status of a ServiceMonitor: it is ready when it exists.
func ExampleSnapshot_WithoutStatus() {
	monitors := operator.NewSnapshot(monitorFor(tea(nil).Parent))
	fmt.Println(monitors.Ready("tea"), monitors.WithoutStatus().Ready("tea"))
	// Output:
	// false true
}
