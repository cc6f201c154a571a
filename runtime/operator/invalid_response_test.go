package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestChildrenInOtherWordsAreChildrenToo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		want func(*Request, *Desired)
	}{
		{"the author sets the owner reference", func(req *Request, want *Desired) {
			child := configMap("web", "one")
			child.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(req.Parent, testapi.Version.WithKind("Site"))}
			want.ConfigMaps.Add(child)
		}},
		{"what is observed is desired again", func(req *Request, want *Desired) {
			child, ok := req.Children.ConfigMaps.Get("web")
			if !ok {
				child = configMap("web", "one")
			}
			want.ConfigMaps.Add(child, operator.Recreate)
		}},
		{"an unstructured object holds Go's own types", func(_ *Request, want *Desired) {
			child := named(operator.Unstructured("v1", "ServiceAccount"), "web")
			child.Object["imagePullSecrets"] = []map[string]string{{"name": "registry"}}
			child.Object["metadata"].(map[string]any)["annotations"] = map[string]string{"a": "b"}
			child.Object["automountServiceAccountToken"] = false
			want.Accounts.Add(child)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := start(t, &author{sync: func(_ context.Context, req *Request) (*Response, error) {
				want := new(Desired)
				test.want(req, want)
				return &Response{Children: want, Status: &testapi.Status{}}, nil
			}})
			f.status("Ready", "Ready")
			f.Settled()
			f.reconcile()
			before := f.Settled()
			f.reconcile()
			f.expectRequests(before)
		})
	}
}

func TestAbsentChildrenAreNamed(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(nil)
		want.Accounts.Add(nil)
		want.Services.Apply(nil)
		want.Secrets.Add(named(&corev1.Secret{}, "last"), operator.After(nil, (*corev1.ConfigMap)(nil)))
	})})
	if got, want := f.status("Ready", "InvalidChild").Conditions[0].Message, "a desired ConfigMap is nil; Secret "+f.Namespace+"/last comes after a child that is nil; a desired Service is nil; a desired ServiceAccount is nil"; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
}

func TestChildWhereTheOperatorDoesNotWatchIsRefused(t *testing.T) {
	t.Parallel()
	synced := make(chan struct{}, 1000)
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: realms(t, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
			synced <- struct{}{}
			child := configMap(req.Parent.Name, "one")
			child.Namespace = "default"
			want := new(realmDesired)
			want.ConfigMaps.Add(child)
			return &realmResponse{Children: want}, nil
		}),
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	realm := makeRealm(t, cluster)
	cluster.Create(realm)
	<-synced
	<-synced // a second time: the parent is not stuck
	child := configMap(realm.Name, "")
	child.Namespace = "default"
	if cluster.Get(child) {
		t.Error("a child was made where the operator cannot see it")
		cluster.Delete(child)
	}
}

func TestQuotaIsNoMissingRight(t *testing.T) {
	a := &author{sync: func(context.Context, *Request) (*Response, error) { return &Response{}, nil }}
	f := start(t, a)
	quota := named(&corev1.ResourceQuota{}, "none")
	quota.Spec.Hard = corev1.ResourceList{"count/secrets": resource.MustParse("0")}
	f.Create(quota)
	f.Eventually("the quota is counted", func() error {
		if f.Get(quota); len(quota.Status.Hard) == 0 {
			return errors.New("it is not")
		}
		return nil
	})
	a.setSync(desire(func(want *Desired) { want.Secrets.Add(named(&corev1.Secret{}, "web")) }))
	f.reconcile()
	message := f.status("Ready", "Forbidden").Conditions[0].Message
	if !strings.Contains(message, "exceeded quota") || strings.Contains(message, "role") {
		t.Errorf("message is %q", message)
	}
}

func TestRefusedStatusShowsInTheConditions(t *testing.T) {
	a := &author{sync: desire(func(*Desired) {})}
	f := start(t, a)
	f.status("Ready", "Ready")
	a.setSync(func(context.Context, *Request) (*Response, error) {
		return &Response{Conditions: []metav1.Condition{{Type: "Warm", Status: "Maybe"}}}, nil
	})
	f.reconcile()
	if message := f.status("Ready", "SyncFailed").Conditions[0].Message; !strings.Contains(message, "Maybe") {
		t.Errorf("message is %q", message)
	}
	f.Eventually("the error's Event is recorded", func() error {
		if !slices.ContainsFunc(f.Requests(), func(r operatortest.Request) bool { return r.Resource == "events" }) {
			return errors.New("it is not")
		}
		return nil
	})
	before := len(f.Requests())
	f.reconcile()
	for _, request := range f.Requests()[before:] {
		if request.String() != "patch sites/status web: 422" {
			t.Errorf("unexpected request: %s", request)
		}
	}
}

func TestLongEventIsCut(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		return &Response{Events: []operator.Event{{Reason: "Long", Message: strings.Repeat("é", 2000)}}}, nil
	}})
	f.Eventually("the event is there", func() error {
		if notes := f.events(); len(notes) != 1 || !strings.HasSuffix(notes[0], "é…") {
			return errors.New(strings.Join(notes, "\n"))
		}
		return nil
	})
}

func TestFinalizerThatMayNotBeWrittenShows(t *testing.T) {
	a := &author{
		sync:     desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) }),
		finalize: func(context.Context, *Request) (*Response, error) { return &Response{Finalized: true}, nil },
	}
	f := startLimited(t, a)
	if message := f.status("Ready", "Forbidden").Conditions[0].Message; !strings.Contains(message, `cannot patch resource "sites"`) {
		t.Errorf("message is %q", message)
	}
	if f.Get(named(&corev1.ConfigMap{}, "web")) {
		t.Error("a child was made before the finalizer")
	}
}

// A webhook that refuses as validation does, without details, refuses each attempt.
func TestStatusThatAWebhookRefusesAsInvalidShowsInTheConditions(t *testing.T) {
	f := prepare(t, &author{sync: desire(desireOne)})
	thaw := f.Deny(&testapi.Site{}, "status", metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: "nobody writes a phase"})
	f.Create(f.site)
	f.Exists(configMap("web", ""))
	f.Eventually("the refusal is an error", func() error {
		for _, result := range f.ReconcileResults(f.site) {
			if result.Err != nil && strings.Contains(result.Err.Error(), "nobody writes a phase") && !strings.Contains(result.Err.Error(), "in a row") {
				return nil
			}
		}
		return fmt.Errorf("results are %+v", f.ReconcileResults(f.site))
	})
	if n := f.Errors(f.site)["SyncFailed"]; n == 0 {
		t.Errorf("reasons are %v", f.Errors(f.site))
	}
	thaw()
	f.Advance(10 * time.Minute)
	f.status("Ready", "Ready")
	f.Converged(f.site)
}
