package operator_test

import (
	"context"
	"fmt"
	"strings"
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
		want.Secrets.Add(secretFor(shop), operator.CreateOnly, operator.AdoptIfUnowned)
	}), tea(nil))
	// Output:
	// Secret tea, CreateOnly, IfUnowned
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
		want.PersistentVolumeClaims.Add(claimFor(shop), operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Delete))
	}), tea(nil))
	// Output:
	// PersistentVolumeClaim tea, when dropped Orphan, when deleted Delete
}

func ExampleImmutablePolicy() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Services.Add(serviceFor(shop), operator.RecreateIfImmutable)
	}), tea(nil))
	// Output:
	// Service tea, Recreate
}

// The Pods of the database go on running while its volume claim templates change.
func ExampleRecreationPolicy() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.StatefulSets.Add(databaseFor(shop), operator.RecreateIfImmutable, operator.OrphanDependents)
	}), tea(nil))
	// Output:
	// StatefulSet tea, Recreate, OrphanDependents
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

// The password is generated when the Secret is created, and the Deployment waits until it is stored.
func ExampleGenerate() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		auth := &corev1.Secret{ObjectMeta: called(shop.Name + "-auth")}
		want.Secrets.Add(auth, operator.Generate("password", operator.Random(24), shop.Spec.Rotation))
		password, ok := req.Children.Secrets.Generated(auth.Name, "password")
		if !ok {
			return &Response{Children: want, KeepAll: true}, nil // it is not stored yet
		}
		deployment := deploymentFor(shop)
		deployment.Spec.Template.Annotations = map[string]string{"example.com/password": password.Revision}
		want.Deployments.Add(deployment)
		return &Response{Children: want}, nil
	}
	show(sync, tea(nil))
	show(sync, tea(func(req *Request) {
		req.Parent.Spec.Rotation = "2030-01"
		req.Children.Secrets = operator.NewSnapshot(&corev1.Secret{ObjectMeta: called("tea-auth"), Data: map[string][]byte{"password": []byte("word")}})
	}))
	// Output:
	// Secret tea-auth, password of 24 characters is generated for ""
	// all others are kept
	// Deployment tea with the revision of its password
	// Secret tea-auth, password of 24 characters is generated for "2030-01"
}

// The first start waits for the database. Later, the Deployment is changed and repaired whether the
// database is ready or not.
func ExampleCreateAfter() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		database := podFor(shop, 0)
		want.Pods.Add(database)
		want.Deployments.Add(deploymentFor(shop), operator.CreateAfter(database))
	}), tea(nil))
	// Output:
	// Deployment tea, created after tea-0
	// Pod tea-0
}

// The migration for an image runs once, and the Deployment has the earlier image until it is complete.
func Example_once() {
	type Response = shopResponse
	sync := func(_ context.Context, req *shopRequest) (*Response, error) {
		shop, want, status := req.Parent, new(shopDesired), req.Parent.Status
		if status.Image != shop.Spec.Image { // the last image whose migration is complete
			_, tag, _ := strings.Cut(shop.Spec.Image, ":")
			migration := jobFor(shop, shop.Name+"-migration-"+tag)
			want.Jobs.Add(migration, operator.CreateOnly)
			if req.Children.Jobs.Ready(migration.Name) {
				status.Image = shop.Spec.Image // the Job goes when the status says so
			}
		}
		if status.Image != "" {
			want.Deployments.Add(deploymentOf(shop, status.Image))
		}
		return &Response{Children: want, Status: &status}, nil
	}
	complete := operator.NewSnapshot(&batchv1.Job{
		ObjectMeta: called("tea-migration-2"),
		Status:     batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}},
	})
	migrated := func(image string, jobs operator.Snapshot[*batchv1.Job]) *shopRequest {
		return tea(func(req *shopRequest) {
			req.Parent.Spec.Image = "example.com/shop:2"
			req.Parent.Status.Image, req.Children.Jobs = image, jobs
		})
	}
	show(sync, migrated("example.com/shop:1", operator.NewSnapshot[*batchv1.Job]()))
	show(sync, migrated("example.com/shop:1", complete))
	show(sync, migrated("example.com/shop:2", complete))
	// Output:
	// Deployment tea with example.com/shop:1
	// Job tea-migration-2, CreateOnly
	// status: phase "", copies 0
	// Deployment tea with example.com/shop:2
	// Job tea-migration-2, CreateOnly
	// status: phase "", copies 0
	// Deployment tea with example.com/shop:2
	// status: phase "", copies 0
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

// A backup that runs every night makes its shop not Ready at no time.
func ExamplePartOfReady() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Jobs.Add(jobFor(shop, "backup"), operator.CreateOnly, operator.PartOfReady(false))
	}), tea(nil))
	// Output:
	// Job backup, CreateOnly, no part of Ready
}

// Three backups that succeeded and one that failed are kept, and those that run.
func ExampleRuns() {
	backup := func(name string, hour int, with batchv1.JobConditionType) *batchv1.Job {
		job := &batchv1.Job{ObjectMeta: called(name)}
		job.CreationTimestamp = metav1.NewTime(open.Add(time.Duration(hour) * time.Hour))
		job.Status.Conditions = []batchv1.JobCondition{{Type: with, Status: corev1.ConditionTrue}}
		return job
	}
	exist := operator.NewSnapshot(
		backup("at-1", 1, batchv1.JobComplete), backup("at-2", 2, batchv1.JobComplete), backup("at-3", 3, batchv1.JobFailed),
		backup("at-4", 4, batchv1.JobFailed), backup("at-5", 5, batchv1.JobComplete), &batchv1.Job{ObjectMeta: called("at-6")},
	)
	show(wanting(func(shop *Shop, req *shopRequest, want *shopDesired) {
		limit := operator.History{Succeeded: int(shop.Spec.Keep), Failed: 1}
		want.Jobs.Keep(operator.Runs(req.Children.Jobs, limit)...)
	}), tea(func(req *shopRequest) { req.Children.Jobs, req.Parent.Spec.Keep = exist, 2 }))
	// Output:
	// Job at-6 is kept
	// Job at-5 is kept
	// Job at-2 is kept
	// Job at-4 is kept
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
		schedule, err := req.Schedule(shop.Spec.Schedule, shop.Spec.TimeZone, status.LastRun)
		if err != nil {
			return nil, err
		}
		if schedule.Due() {
			job := jobFor(shop, schedule.Name(shop.Name))
			want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(func(response *Response) {
				response.Status.LastRun = &schedule.Tick
			}))
		}
		want.Jobs.Keep(operator.Runs(req.Children.Jobs, operator.History{Succeeded: 3, Failed: 1})...) // and those that run
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
	schedule, err := req.Schedule("@hourly", "Europe/Berlin", nil, late)
	fmt.Println("due:", schedule.Due(), "next in:", schedule.Wait, err)
	// Output:
	// due: false next in: 30m0s <nil>
}
