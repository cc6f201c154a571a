package operator_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// switchSitesKey is the variable that says how many Sites are switched.
const switchSitesKey = "OPGEN_SWITCH_SITES"

type (
	switchChildren struct {
		Deployments operator.Snapshot[*appsv1.Deployment]
		Secrets     operator.Snapshot[*corev1.Secret]
		Jobs        operator.Snapshot[*batchv1.Job]
	}
	switchDesired struct {
		Deployments operator.DesiredSet[*appsv1.Deployment]
		Secrets     operator.DesiredSet[*corev1.Secret]
		Jobs        operator.DesiredSet[*batchv1.Job]
	}
	switchRequest  = operator.Request[*testapi.Site, switchChildren, struct{}]
	switchResponse = operator.Response[switchDesired, testapi.Status]
)

// syncAsTheFormer desires what the former operator makes: a password and a Job only where there is none.
func syncAsTheFormer(_ context.Context, req *switchRequest) (*switchResponse, error) {
	site, want := req.Parent, new(switchDesired)
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: site.Name}}
	fillDeployment(deployment)
	want.Deployments.Add(deployment)
	password := []byte(rand.Text())
	if secret, ok := req.Children.Secrets.Get(site.Name); ok {
		password = secret.Data["password"]
	}
	want.Secrets.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: site.Name}, Data: map[string][]byte{"password": password}})
	started := 0
	for job := range req.Children.Jobs.All() {
		want.Jobs.Add(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: job.Name}, Spec: newJob(site, "").Spec})
		started++
	}
	if started == 0 {
		want.Jobs.Add(newJob(site, "successor"))
	}
	return &switchResponse{Children: want, Status: &testapi.Status{Phase: "Running"}}, nil
}

func switchedControllers(operator.Manager) ([]operator.Controller, error) {
	return []operator.Controller{operator.NewController(operator.Definition[*testapi.Site, testapi.Status, switchChildren, switchDesired, struct{}]{
		Name: "site", Group: testapi.Version.Group, Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds: func(observed *switchChildren, desired *switchDesired) []operator.ChildKind {
			return []operator.ChildKind{
				{Object: &appsv1.Deployment{}, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)},
				{Object: &corev1.Secret{}, Fields: operator.Bind(&observed.Secrets, &desired.Secrets)},
				{Object: &batchv1.Job{}, Rules: operator.Rules{ReadyWhen: exists}, Fields: operator.Bind(&observed.Jobs, &desired.Jobs)},
			}
		},
		Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
		Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
		ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
		TakeOverFrom:       []string{formerManager},
		Sync:               syncAsTheFormer,
	})}, nil
}

// fleetState is what a fleet's children are, as far as a switch must not change it.
type fleetState struct {
	objects   map[string]string // each child but for its status, by its kind and name
	passwords map[string]string // by the name of the Secret
	templates map[string]string // of Deployments
	replicas  int               // ReplicaSets
	jobs      int
	legacy    []string // what only an earlier release of the former operator set
}

func readFleet(t *testing.T, cluster *operatortest.Cluster) fleetState {
	t.Helper()
	deployments, secrets, jobs, replicas := new(appsv1.DeploymentList), new(corev1.SecretList), new(batchv1.JobList), new(appsv1.ReplicaSetList)
	for _, list := range []client.ObjectList{deployments, secrets, jobs, replicas} {
		if err := cluster.Client.List(t.Context(), list, client.InNamespace(cluster.Namespace)); err != nil {
			t.Fatal(err)
		}
	}
	s := fleetState{map[string]string{}, map[string]string{}, map[string]string{}, len(replicas.Items), len(jobs.Items), nil}
	add := func(kind string, object client.Object, isLegacy bool, content any) {
		s.objects[kind+" "+object.GetName()] = textOf(t, []any{object.GetUID(), object.GetLabels(), object.GetAnnotations(), object.GetOwnerReferences(), object.GetGeneration(), content})
		if isLegacy {
			s.legacy = append(s.legacy, kind+" "+object.GetName())
		}
	}
	for _, d := range deployments.Items {
		s.templates[d.Name] = textOf(t, d.Spec.Template)
		add("Deployment", &d, d.Spec.MinReadySeconds != 0 || *d.Spec.RevisionHistoryLimit != 10 || d.Annotations["example.com/legacy"] != "", d.Spec)
	}
	for _, secret := range secrets.Items {
		s.passwords[secret.Name] = string(secret.Data["password"])
		add("Secret", &secret, secret.Data["legacy"] != nil, secret.Data)
	}
	for _, job := range jobs.Items {
		add("Job", &job, job.Annotations["example.com/legacy"] != "", job.Spec)
	}
	return s
}

func textOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// differing returns the keys whose values differ.
func differing(before, after map[string]string) (keys []string) {
	for key := range before {
		if before[key] != after[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// A fleet changes from an operator of another framework to this runtime and back: no Job runs twice, no
// password is another one, no Pod is replaced. What only an earlier release of the former operator set goes.
// Going back changes nothing at all.
func TestFleetSwitchesFromAnotherOperatorAndBack(t *testing.T) {
	t.Parallel()
	sites, err := strconv.Atoi(cmp.Or(os.Getenv(switchSitesKey), "20"))
	if err != nil {
		t.Fatal(err)
	}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: switchedControllers, CRDs: []string{"../internal/testapi/crds.yaml"}, Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	cluster.Stop()
	_, stop := runFormer(t, cluster, true)
	for i := range sites {
		cluster.Create(site(fmt.Sprintf("site-%03d", i)))
	}
	var made fleetState
	cluster.Eventually("the former operator has made everything", func() error {
		if made = readFleet(t, cluster); len(made.objects) != 3*sites || made.replicas != sites {
			return fmt.Errorf("%d objects, %d ReplicaSets", len(made.objects), made.replicas)
		}
		return nil
	})
	stop()
	if len(made.legacy) != 3*sites {
		t.Fatalf("%d objects have fields of the earlier release, want all %d", len(made.legacy), 3*sites)
	}

	requests := len(cluster.Requests())
	cluster.Restart()
	cluster.Eventually("every Site is taken over", func() error { return areReady(t, cluster, sites) })
	cluster.Settled()
	switched := readFleet(t, cluster)
	t.Logf("the switch took %d requests", len(cluster.Requests())-requests)
	switched.mustKeep(t, made)
	if len(switched.legacy) > 0 {
		t.Errorf("fields of the earlier release stay in %d objects: %v", len(switched.legacy), switched.legacy[:min(len(switched.legacy), 3)])
	}
	cluster.Stop()

	former, stop := runFormer(t, cluster, false)
	for i := range sites {
		cluster.Update(site(fmt.Sprintf("site-%03d", i)), func() {})
	}
	poked := site("poked")
	cluster.Create(poked)
	cluster.Exists(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: newJob(poked, "former").Name}}) // it works
	cluster.Delete(poked)
	back := readFleet(t, cluster)
	stop()
	back.mustKeep(t, switched)
	if changed := differing(switched.objects, back.objects); len(changed) > 0 || former.changes.Load() > 0 {
		t.Errorf("going back changed %v, by %d writes", changed, former.changes.Load())
	}
}

// areReady returns an error unless so many Sites are ready.
func areReady(t *testing.T, cluster *operatortest.Cluster, sites int) error {
	t.Helper()
	list := new(testapi.SiteList)
	if err := cluster.Client.List(t.Context(), list, client.InNamespace(cluster.Namespace)); err != nil {
		return err
	}
	ready := 0
	for _, site := range list.Items {
		if len(site.Status.Conditions) == 1 && site.Status.Conditions[0].Status == metav1.ConditionTrue {
			ready++
		}
	}
	if ready != sites {
		return fmt.Errorf("%d are ready", ready)
	}
	return nil
}

// mustKeep fails the test if a switch has made a second Job, password or ReplicaSet.
func (s fleetState) mustKeep(t *testing.T, before fleetState) {
	t.Helper()
	var problems []error
	if passwords := differing(before.passwords, s.passwords); len(passwords) > 0 {
		problems = append(problems, fmt.Errorf("%d passwords are new", len(passwords)))
	}
	if templates := differing(before.templates, s.templates); len(templates) > 0 || s.replicas > before.replicas+1 {
		problems = append(problems, fmt.Errorf("%d templates are others, %d ReplicaSets were %d", len(templates), s.replicas, before.replicas))
	}
	if s.jobs > before.jobs+1 {
		problems = append(problems, fmt.Errorf("%d Jobs were %d", s.jobs, before.jobs))
	}
	if err := errors.Join(problems...); err != nil {
		t.Error(err)
	}
}
