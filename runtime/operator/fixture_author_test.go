package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The types that opgen would generate for the kind Site.
type (
	Children struct {
		ConfigMaps operator.Snapshot[*corev1.ConfigMap]
		Secrets    operator.Snapshot[*corev1.Secret]
		Services   operator.Snapshot[*corev1.Service]
		Pods       operator.Snapshot[*corev1.Pod]
		Accounts   operator.Snapshot[*unstructured.Unstructured]
	}
	Desired struct {
		ConfigMaps operator.DesiredSet[*corev1.ConfigMap]
		Secrets    operator.DesiredSet[*corev1.Secret]
		Services   operator.DesiredSet[*corev1.Service]
		Pods       operator.DesiredSet[*corev1.Pod]
		Accounts   operator.DesiredSet[*unstructured.Unstructured]
		Patches    DesiredPatches
	}
	// DesiredPatches are the patches of the entries that a test has with Patch.
	DesiredPatches struct {
		ConfigMaps operator.PatchSet[*corev1.ConfigMap]
		Claims     operator.PatchSet[*corev1.PersistentVolumeClaim]
		Gadgets    operator.PatchSet[*unstructured.Unstructured]
	}
	Request  = operator.Request[*testapi.Site, Children, struct{}]
	Response = operator.Response[Desired, testapi.Status]
	Function = func(context.Context, *Request) (*Response, error)

	siteDefinition = operator.Definition[*testapi.Site, testapi.Status, Children, Desired, struct{}]
)

func kinds(observed *Children, desired *Desired) []operator.ChildKind {
	return []operator.ChildKind{
		{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
		{Object: &corev1.Secret{}, Fields: operator.Bind(&observed.Secrets, &desired.Secrets)},
		{Object: &corev1.Service{}, Fields: operator.Bind(&observed.Services, &desired.Services)},
		{Object: &corev1.Pod{}, Policies: operator.Policies{Update: operator.Recreate}, Fields: operator.Bind(&observed.Pods, &desired.Pods)},
		{Object: operator.Unstructured("v1", "ServiceAccount"), Fields: operator.Bind(&observed.Accounts, &desired.Accounts)},
	}
}

// author is an author's code that a test can change while it runs.
type author struct {
	mu         sync.Mutex
	sync       Function
	finalize   Function // nil for a controller without one
	alter      func(*siteDefinition)
	triggers   []operator.TriggerSource
	manager    *operator.Manager // where to put it; nil for nowhere
	reconciles int
	poked      string // the last poke that a reconcile saw
}

const pokeKey = "test.opgen.dev/poke"

func (a *author) setSync(sync Function) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sync = sync
}

func (a *author) Sync(ctx context.Context, req *Request) (*Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reconciles++
	a.poked = req.Parent.Annotations[pokeKey]
	return a.sync(ctx, req)
}

func (a *author) Finalize(ctx context.Context, req *Request) (*Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.finalize(ctx, req)
}

func (a *author) saw(poke string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.poked == poke
}

func (a *author) controllers(mgr operator.Manager) ([]operator.Controller, error) {
	if a.manager != nil {
		*a.manager = mgr
	}
	definition := siteDefinition{
		Name:               "site",
		Group:              testapi.Version.Group,
		Parents:            []operator.ParentKind{{Object: &testapi.Site{}}},
		Schemes:            runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds:              kinds,
		Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
		Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
		ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
		ParentMetadata:     true,
		Sync:               a.Sync,
	}
	if a.finalize != nil {
		definition.Finalize = a.Finalize
	}
	if a.alter != nil {
		a.alter(&definition)
	}
	return []operator.Controller{operator.WithTriggers(operator.NewController(definition), a.triggers...)}, nil
}

// fixture is an operator that runs an author's code on a real API server.
type fixture struct {
	*operatortest.Cluster
	*author
	t     *testing.T
	site  *testapi.Site
	pokes int
}

// start runs an operator with this Sync and creates a Site.
func start(t *testing.T, a *author) *fixture {
	t.Helper()
	f := prepare(t, a)
	f.Create(f.site)
	return f
}

// prepare runs the operator of an author, without a Site.
func prepare(t *testing.T, a *author) *fixture {
	t.Helper()
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	})
	return &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
}

// orphaned are the options of a child that stays when Sync drops it, and when its parent goes.
var orphaned = []operator.ChildOption{operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Orphan)}

func site(name string) *testapi.Site {
	return &testapi.Site{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: testapi.Spec{Text: "hello"}}
}

// reconcile causes reconciles of the Site until every one that anything before has
// caused is over: a parent is never reconciled twice at once.
func (f *fixture) reconcile() {
	f.t.Helper()
	for range 2 {
		f.pokes++
		poke := strconv.Itoa(f.pokes)
		current := site(f.site.Name)
		f.Update(current, func() { metav1.SetMetaDataAnnotation(&current.ObjectMeta, pokeKey, poke) })
		f.Eventually("a reconcile sees the change", func() error {
			if !f.saw(poke) {
				return fmt.Errorf("no reconcile has seen %s", poke)
			}
			return nil
		})
	}
}

// status waits until the Site has a condition with this reason.
func (f *fixture) status(conditionType, reason string) testapi.Status {
	f.t.Helper()
	current := site(f.site.Name)
	f.Eventually(conditionType+" has reason "+reason, func() error {
		f.Get(current)
		condition := meta.FindStatusCondition(current.Status.Conditions, conditionType)
		if condition == nil || condition.Reason != reason {
			return fmt.Errorf("status is %+v", current.Status)
		}
		return nil
	})
	return current.Status
}

// expectRequests compares the requests since the first n with what is expected.
func (f *fixture) expectRequests(n int, expected ...string) {
	f.t.Helper()
	var got []string
	for _, request := range f.Requests()[n:] {
		got = append(got, request.String())
	}
	sortCreates(got)
	if diff := operatortest.Diff(expected, got); diff != "" {
		f.t.Errorf("requests (-expected +got):\n%s", diff)
	}
}

// sortCreates sorts creates that follow each other by kind and name: those of one kind are sent at once.
func sortCreates(requests []string) {
	isCreate := func(request string) bool { return strings.HasPrefix(request, "create ") }
	for from := 0; from < len(requests); from++ {
		to := from
		for to < len(requests) && isCreate(requests[to]) && strings.Fields(requests[to])[1] == strings.Fields(requests[from])[1] {
			to++
		}
		slices.Sort(requests[from:to])
		from = max(from, to-1)
	}
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"key": value}}
}

func service(name string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": name}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
}

func pod(name, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: image, Ports: []corev1.ContainerPort{{ContainerPort: 80}}}},
			Volumes:    []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
}

// desire returns a Sync that wants what fill adds.
func desire(fill func(*Desired)) Function {
	return func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		fill(want)
		return &Response{Children: want, Status: &testapi.Status{Phase: "Synced"}}, nil
	}
}

func named[T client.Object](object T, name string) T {
	object.SetName(name)
	return object
}
