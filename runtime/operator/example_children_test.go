package operator_test

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1 "k8s.io/client-go/applyconfigurations/apps/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// wanting is a Sync that wants what add adds.
func wanting(add func(shop *Shop, req *shopRequest, want *shopDesired)) func(context.Context, *shopRequest) (*shopResponse, error) {
	return func(_ context.Context, req *shopRequest) (*shopResponse, error) {
		want := new(shopDesired)
		add(req.Parent, req, want)
		return &shopResponse{Children: want}, nil
	}
}

// What is added is all that there should be.
func ExampleDesiredSet_Add() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		for number := range int(shop.Spec.Replicas) {
			want.Pods.Add(podFor(shop, number))
		}
	}), tea(nil))
	// Output:
	// Pod tea-0
	// Pod tea-1
}

// An apply configuration says exactly which fields are wanted, also such as are
// zero; a typed object leaves those out.
func ExampleDesiredSet_Apply() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		closed := appsv1.Deployment(shop.Name, shop.Namespace).WithSpec(appsv1.DeploymentSpec().WithReplicas(0))
		want.Deployments.Apply(closed)
	}), tea(nil))
	// Output:
	// Deployment as configured
}

// Keep leaves children as they are.
func ExampleDesiredSet_Keep() {
	exists := operator.NewSnapshot(&corev1.Pod{ObjectMeta: called("tea-0")}, &corev1.Pod{ObjectMeta: called("tea-1")})
	show(wanting(func(_ *Shop, req *shopRequest, want *shopDesired) {
		for pod := range req.Children.Pods.All() {
			want.Pods.Keep(pod.Name)
		}
	}), tea(func(req *shopRequest) { req.Children.Pods = exists }))
	// Output:
	// Pod tea-0 is kept
	// Pod tea-1 is kept
}

// Options say how one child differs from what the spec file says of its kind.
func ExampleChildOption() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Secrets.Add(secretFor(shop), operator.CreateOnly, operator.Orphan)
	}), tea(nil))
	// Output:
	// Secret tea, CreateOnly, Orphan
}

// An autoscaler sets the replicas while there is one.
func ExampleHandOver() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		deployment := deploymentFor(shop)
		if shop.Spec.MaxReplicas > 0 {
			deployment.Spec.Replicas = nil
			want.Autoscalers.Add(autoscalerFor(shop))
		}
		want.Deployments.Add(deployment, operator.HandOver(".spec.replicas"))
	}), tea(func(req *shopRequest) { req.Parent.Spec.MaxReplicas = 10 }))
	// Output:
	// Deployment tea, hands over .spec.replicas
	// HorizontalPodAutoscaler tea
}

func ExampleUpdateStrategy() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Deployments.Add(deploymentFor(shop), operator.OnDelete)
		want.Secrets.Add(secretFor(shop), operator.Recreate)
		for number := range int(shop.Spec.Replicas) {
			want.Pods.Add(podFor(shop, number), operator.RollingRecreate) // or RollingInPlace
		}
	}), tea(nil))
	// Output:
	// Deployment tea, OnDelete
	// Pod tea-0, RollingRecreate
	// Pod tea-1, RollingRecreate
	// Secret tea, Recreate
}

func ExampleAdoptionPolicy() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Services.Add(serviceFor(shop), operator.AdoptIfUnowned)
		want.Secrets.Add(secretFor(shop), operator.AdoptForce)
	}), tea(nil))
	// Output:
	// Service tea, IfUnowned
	// Secret tea, Force
}

func ExampleDeletionPolicy() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.PersistentVolumeClaims.Add(claimFor(shop), operator.Orphan)
	}), tea(nil))
	// Output:
	// PersistentVolumeClaim tea, Orphan
}

func ExampleImmutablePolicy() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Services.Add(serviceFor(shop), operator.RecreateIfImmutable)
	}), tea(nil))
	// Output:
	// Service tea, Recreate
}

// The Deployment is neither made nor changed before the migration is complete.
func ExampleAfter() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		migration := jobFor(shop, shop.Name+"-migration")
		want.Jobs.Add(migration, operator.CreateOnly)
		want.Deployments.Add(deploymentFor(shop), operator.After(migration))
	}), tea(nil))
	// Output:
	// Deployment tea, after tea-migration
	// Job tea-migration, CreateOnly
}

// The status says so once the API server has the Job, and not while a quota refuses it.
func ExampleWhenApplied() {
	type Response = shopResponse
	show(func(_ context.Context, req *shopRequest) (*Response, error) {
		shop, want, status := req.Parent, new(shopDesired), req.Parent.Status
		status.Phase = "Waiting for the migration"
		migration := jobFor(shop, shop.Name+"-migration")
		want.Jobs.Add(migration, operator.CreateOnly, operator.WhenApplied(func(response *Response) {
			response.Status.Phase = "Migrating"
		}))
		return &Response{Children: want, Status: &status}, nil
	}, tea(nil))
	// Output:
	// Job tea-migration, CreateOnly
	// status: phase "Migrating", copies 0
}

// The new Service needs the node port of the old one, which therefore goes first.
func ExampleReplaces() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		renamed, old := serviceFor(shop), serviceFor(shop)
		renamed.Name = shop.Name + "-web"
		want.Services.Add(renamed, operator.Replaces(old))
	}), tea(nil))
	// Output:
	// Service tea-web, replaces tea
}

func ExampleSnapshot() {
	pod := func(namespace, name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	req := tea(func(req *shopRequest) {
		req.Children.Pods = operator.NewSnapshot(pod("town", "tea-0"), pod("town", "tea-1"), pod("city", "tea-1")).In("town")
	})
	pods := req.Children.Pods
	if pod, ok := pods.Get("tea-0"); ok {
		fmt.Println(pod.Name, "is ready:", pods.Ready(pod.Name))
	}
	for pod := range pods.In("city").All() {
		fmt.Println(pod.Name, "is in the city")
	}
	fmt.Println(pods.Len(), "in the parent's namespace,", pods.In(operator.AllNamespaces).Len(), "in all")
	// Output:
	// tea-0 is ready: false
	// tea-1 is in the city
	// 2 in the parent's namespace, 3 in all
}

// What a run does has a name that derives from when it was due, so that it is
// made once.
func ExampleRequest_Schedule() {
	type Response = shopResponse
	sync := func(_ context.Context, req *shopRequest) (*Response, error) {
		shop, want, status := req.Parent, new(shopDesired), req.Parent.Status
		schedule, err := req.Schedule(shop.Spec.Schedule, shop.Spec.TimeZone, status.LastRun.Time)
		if err != nil {
			return nil, err
		}
		if schedule.Due() {
			job := jobFor(shop, schedule.Name(shop.Name))
			want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(func(response *Response) {
				response.Status.LastRun = metav1.NewTime(schedule.Tick)
			}))
		}
		want.Jobs.Keep(operator.Runs(req.Children.Jobs, 3)...) // those that run, and the last three that have finished
		return &Response{Children: want, Status: &status, RequeueAfter: schedule.Wait}, nil
	}
	show(sync, tea(func(req *shopRequest) {
		req.Parent.Spec.Schedule = "*/5 * * * *"
		req.Now = open.Add(17 * time.Minute)
		req.Children.Jobs = operator.NewSnapshot(&batchv1.Job{ObjectMeta: called("tea-31558330")})
	}))
	// Output:
	// Job tea-31558335, CreateOnly
	// Job tea-31558330 is kept
	// status: phase "", copies 0, last run at 12:15
	// again in 3m0s
}

// A run that is more than ten minutes late is passed over.
func ExampleSkipLate() {
	req := tea(func(req *shopRequest) { req.Now = open.Add(90 * time.Minute) })
	late := operator.SkipLate(10 * time.Minute)
	schedule, err := req.Schedule("@hourly", "Europe/Berlin", time.Time{}, late)
	fmt.Println("due:", schedule.Due(), "next in:", schedule.Wait, err)
	// Output:
	// due: false next in: 30m0s <nil>
}
