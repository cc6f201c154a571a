package operator_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// events returns the notes of the events about the Site.
func (f *fixture) events() []string {
	f.t.Helper()
	return eventsOn(f.t, f.Cluster, "Site")
}

// eventsOn returns the notes of the events about objects of a kind.
func eventsOn(t *testing.T, cluster *operatortest.Cluster, kind string) (notes []string) {
	t.Helper()
	var list eventsv1.EventList
	if err := cluster.Client.List(t.Context(), &list, client.InNamespace(cluster.Namespace)); err != nil {
		t.Fatal(err)
	}
	for _, event := range list.Items {
		if event.Regarding.Kind == kind {
			notes = append(notes, event.Type+" "+event.Reason+": "+event.Note)
		}
	}
	return notes
}

func (f *fixture) expectEvents(expected ...string) {
	f.t.Helper()
	f.Eventually("the events are there", func() error {
		if got := f.events(); strings.Join(got, "\n") != strings.Join(expected, "\n") {
			return fmt.Errorf("got %q, want %q", got, expected)
		}
		return nil
	})
}

func TestFailedSyncDeletesNothing(t *testing.T) {
	t.Parallel()
	good := desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })
	for _, test := range []struct {
		name            string
		fails           Function
		reason, message string
		shows           string // the condition that says what happens next
	}{
		{"error", func(context.Context, *Request) (*Response, error) {
			return nil, errors.New("the backend is away")
		}, "SyncFailed", "the backend is away", "Reconciling"},
		{"error beside an empty desired state", func(context.Context, *Request) (*Response, error) {
			return &Response{Children: new(Desired)}, errors.New("half-way")
		}, "SyncFailed", "half-way", "Reconciling"},
		{"panic", func(context.Context, *Request) (*Response, error) {
			panic("index out of range")
		}, "SyncPanicked", "panic: index out of range", "Reconciling"},
		{"terminal error", func(context.Context, *Request) (*Response, error) {
			return nil, reconcile.TerminalError(errors.New("the text makes no sense"))
		}, "SyncFailed", "the text makes no sense", "Stalled"},
		{"terminal error within another", func(context.Context, *Request) (*Response, error) {
			return nil, errors.Join(fmt.Errorf("spec.text: %w", reconcile.TerminalError(errors.New("it makes no sense"))))
		}, "SyncFailed", "spec.text: it makes no sense", "Stalled"},
		{"nothing at all", func(context.Context, *Request) (*Response, error) {
			return nil, nil
		}, "SyncFailed", "Sync returned neither a response nor an error", "Reconciling"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := &author{sync: good}
			f := start(t, a)
			f.status("Ready", "Ready")
			f.reconcile()
			before := len(f.Writes())

			a.setSync(test.fails)
			f.reconcile()
			status := f.status("Ready", test.reason)
			if got := meta.FindStatusCondition(status.Conditions, "Ready").Message; got != test.message {
				t.Errorf("message is %q, want %q", got, test.message)
			}
			if !meta.IsStatusConditionTrue(status.Conditions, test.shows) {
				t.Errorf("conditions are %+v, want %s", status.Conditions, test.shows)
			}
			f.reconcile()
			f.expectEvents("Warning " + test.reason + ": " + test.message)
			for _, request := range f.Writes()[before:] {
				if request.Resource != "sites/status" && request.Resource != "events" {
					t.Errorf("unexpected request: %s", request)
				}
			}
			f.Exists(named(&corev1.ConfigMap{}, "web"))

			a.setSync(good)
			f.reconcile()
			status = f.status("Ready", "Ready")
			if len(status.Conditions) != 1 {
				t.Errorf("conditions are %+v, want Ready alone", status.Conditions)
			}
		})
	}
}

// A typo in one field does not stop a schedule.
func TestRequeueBesideATerminalErrorStands(t *testing.T) {
	a := &author{sync: func(context.Context, *Request) (*Response, error) {
		return &Response{RequeueAfter: time.Hour}, reconcile.TerminalError(errors.New("the text makes no sense"))
	}}
	f := start(t, a)
	f.status("Ready", "SyncFailed")
	f.Settled()
	for range 2 {
		before := a.count()
		f.Advance(time.Hour)
		if calls := a.count() - before; calls != 1 {
			t.Errorf("Sync was called %d times in an hour, want once", calls)
		}
	}
}

func TestWhatComesBesideAnErrorIsWritten(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("web", "one"))
		return &Response{Children: want, Status: &testapi.Status{Phase: "Degraded"}}, errors.New("half-way")
	}})
	status := f.status("Ready", "SyncFailed")
	if status.Phase != "Degraded" {
		t.Errorf("phase is %q", status.Phase)
	}
	f.Exists(named(&corev1.ConfigMap{}, "web"))
}

func TestFailureIsRetriedWithoutAnyChange(t *testing.T) {
	calls := 0
	f := start(t, &author{sync: func(ctx context.Context, req *Request) (*Response, error) {
		if calls++; calls < 4 {
			return nil, fmt.Errorf("attempt %d", calls) // another message each time
		}
		return desire(func(*Desired) {})(ctx, req)
	}})
	f.status("Ready", "Ready")
}

func TestCorrectionDuringAFailingReconcileIsSeen(t *testing.T) {
	var f *fixture
	a := &author{sync: desire(func(*Desired) {})}
	f = start(t, a)
	f.status("Ready", "Ready")
	a.setSync(func(ctx context.Context, req *Request) (*Response, error) {
		if req.Parent.Spec.Text == "corrected" {
			return desire(func(*Desired) {})(ctx, req)
		}
		current := site("web")
		f.Update(current, func() { current.Spec.Text = "corrected" })
		return nil, reconcile.TerminalError(errors.New("the text makes no sense"))
	})
	f.Update(f.site, func() { f.site.Spec.Text = "nonsense" })
	f.Eventually("the correction is seen", func() error {
		if f.Get(f.site); f.site.Status.ObservedGeneration != f.site.Generation || f.site.Spec.Text != "corrected" || len(f.site.Status.Conditions) != 1 {
			return fmt.Errorf("status is %+v", f.site.Status)
		}
		return nil
	})
}

func TestEventsAreRecordedOnce(t *testing.T) {
	a := &author{sync: func(context.Context, *Request) (*Response, error) {
		return &Response{Events: []operator.Event{{Reason: "Greeted", Message: "hello"}}}, nil
	}}
	f := start(t, a)
	f.expectEvents("Normal Greeted: hello")
	f.reconcile()
	f.reconcile()
	created := 0
	for _, request := range f.Requests() {
		if request.Resource == "events" {
			created++
		}
	}
	if created != 1 {
		t.Errorf("requests are %v, want one that creates an Event", f.Requests())
	}
}

func TestMissingRightsAreNamed(t *testing.T) {
	f := startLimited(t, &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })})
	message := f.status("Ready", "Forbidden").Conditions[0].Message
	for _, part := range []string{"ConfigMap " + f.Namespace + "/web", "make deploy applies the generated role", `cannot create resource "configmaps"`} {
		if !strings.Contains(message, part) {
			t.Errorf("message %q does not name %s", message, part)
		}
	}
}

// startLimited is start for an operator that may read everything, but write
// only the status of a Site.
func startLimited(t *testing.T, a *author) *fixture {
	t.Helper()
	t.Parallel()
	user := "limited-" + strconv.Itoa(os.Getpid()) + "-" + strings.ToLower(t.Name())
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		User:        user,
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	named := metav1.ObjectMeta{Name: user}
	f.Create(
		&rbacv1.ClusterRole{ObjectMeta: named, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"", "test.opgen.dev"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{"test.opgen.dev"}, Resources: []string{"sites/status"}, Verbs: []string{"patch"}},
		}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: named,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
		},
		f.site,
	)
	return f
}

func TestKindsThatAreNotServedAreNamed(t *testing.T) {
	t.Parallel()
	config := configOfTest(t)
	configMaps, nowhere := operator.Unstructured("v1", "ConfigMap"), operator.Unstructured("example.com/v1", "Nowhere")
	for name, waiting := range map[string]operator.Controller{"a parent": controllerOf(nowhere, configMaps), "a child": controllerOf(configMaps, nowhere)} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var log lines
			options, ended := operator.Defaults(), make(chan error, 1)
			options.Logger = slog.New(slog.NewTextHandler(&log, nil))
			go func() {
				ended <- operator.Run(ctx, config, options, func(operator.Manager) ([]operator.Controller, error) { return []operator.Controller{waiting}, nil })
			}()
			const says = "the API server does not know kind Nowhere of example.com/v1: install its CRD (make install, for a kind of this project)"
			for deadline := time.Now().Add(30 * time.Second); log.count(says) == 0; time.Sleep(50 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("the log does not say %q:\n%s", says, log.String())
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTwoControllersOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	configMaps := operator.Unstructured("v1", "ConfigMap")
	err := operator.Run(t.Context(), configOfTest(t), operator.Defaults(), func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{controllerOf(configMaps, operator.Unstructured("v1", "Secret")), controllerOf(configMaps, configMaps)}, nil
	})
	if err == nil || err.Error() != "two controllers are named web" {
		t.Errorf("error %v", err)
	}
}

func configOfTest(t *testing.T) *rest.Config {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// controllerOf returns a controller named web of a kind of parents and a kind of children.
func controllerOf(parent, child *unstructured.Unstructured) operator.Controller {
	return operator.NewController(operator.Definition[*unstructured.Unstructured, struct{}, struct{}, struct{}, struct{}]{
		Name: "web", Group: "example.com", Parents: []operator.ParentKind{{Object: parent}},
		Kinds: func(*struct{}, *struct{}) []operator.ChildKind { return []operator.ChildKind{{Object: child}} },
	})
}
