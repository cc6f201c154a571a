package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	realmChildren struct {
		Namespaces operator.Snapshot[*corev1.Namespace]
		ConfigMaps operator.Snapshot[*corev1.ConfigMap]
	}
	realmDesired struct {
		Namespaces operator.DesiredSet[*corev1.Namespace]
		ConfigMaps operator.DesiredSet[*corev1.ConfigMap]
	}
	realmRequest  = operator.Request[*testapi.Realm, realmChildren, struct{}]
	realmResponse = operator.Response[realmDesired, struct{}]
)

// realms makes a controller that writes no status, for the Realms that makeRealm makes in the same test: those of tests
// that run beside it are left alone, as a cluster-scoped kind is everybody's.
func realms(t *testing.T, sync func(context.Context, *realmRequest) (*realmResponse, error)) func(operator.Manager) ([]operator.Controller, error) {
	return realmsOf(testapi.Version.Group, t.Name(), sync)
}

// makeRealm returns a Realm for the controller that realms makes.
func makeRealm(t *testing.T, cluster *operatortest.Cluster) *testapi.Realm {
	return &testapi.Realm{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: map[string]string{t.Name(): ""}}}
}

// realmsOf makes one under an API group of its own, for Realms with these labels.
func realmsOf(group, labels string, sync func(context.Context, *realmRequest) (*realmResponse, error)) func(operator.Manager) ([]operator.Controller, error) {
	return func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{operator.NewController(operator.Definition[*testapi.Realm, struct{}, realmChildren, realmDesired, struct{}]{
			Name:    "realm",
			Group:   group,
			Parents: []operator.ParentKind{{Object: &testapi.Realm{}, Labels: labels}},
			Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
			Kinds: func(observed *realmChildren, desired *realmDesired) []operator.ChildKind {
				return []operator.ChildKind{
					{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
					{Object: &corev1.Namespace{}, Fields: operator.Bind(&observed.Namespaces, &desired.Namespaces)},
					{Object: &corev1.Secret{}, PruneOnly: true},
				}
			},
			Sync: sync,
		})}, nil
	}
}

func startRealms(t *testing.T, sync func(context.Context, *realmRequest) (*realmResponse, error)) (*operatortest.Cluster, *testapi.Realm) {
	t.Helper()
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: realms(t, sync),
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options:     func(o *operator.Options) { o.Namespaces = nil },
	})
	realm := makeRealm(t, cluster)
	cluster.Create(realm)
	return cluster, realm
}

func TestClusterScopedParentHasChildrenAnywhere(t *testing.T) {
	cluster, realm := startRealms(t, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
		want := new(realmDesired)
		if req.Parent.Spec.Text == "empty" {
			return &realmResponse{Children: want}, nil
		}
		home := req.Parent.Name + "-home"
		want.Namespaces.Add(named(&corev1.Namespace{}, home))
		for _, namespace := range []string{req.Parent.Name, home} {
			child := configMap("realm", "one")
			child.Namespace = namespace
			want.ConfigMaps.Add(child)
		}
		return &realmResponse{Children: want}, nil
	})
	home := named(&corev1.Namespace{}, realm.Name+"-home")
	here, there := configMap("realm", ""), configMap("realm", "")
	there.Namespace = home.Name
	cluster.Exists(home, here, there)
	for _, request := range cluster.Sent() {
		if request.Verb == "create" && request.Code != http.StatusCreated {
			t.Errorf("refused: %s", request)
		}
	}
	pruneOnly := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace:       cluster.Namespace,
		Name:            "prune-only",
		Labels:          map[string]string{testapi.Version.Group + "/realm": string(realm.UID)},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(realm, testapi.Version.WithKind("Realm"))},
	}}
	if err := cluster.Client.Create(t.Context(), pruneOnly, client.FieldOwner("opgen/realm."+testapi.Version.Group)); err != nil { // as an earlier release did
		t.Fatal(err)
	}
	cluster.Gone(pruneOnly)

	cluster.Update(realm, func() { realm.Spec.Text = "empty" })
	cluster.Gone(here, there)
	cluster.Eventually("the namespace is deleted", func() error {
		if cluster.Get(home) && home.DeletionTimestamp == nil {
			return fmt.Errorf("it still exists")
		}
		return nil
	})
}

// What a cluster-scoped parent keeps has to be named with its namespace, too.
func TestKeepWithoutANamespaceIsInvalid(t *testing.T) {
	t.Parallel()
	const group = "keeping.test.opgen.dev"
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: realmsOf(group, group, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
			want := new(realmDesired)
			if req.Parent.Spec.Text == "" {
				want.ConfigMaps.Add(configMapIn(req.Parent.Name, "settings"))
			} else {
				want.ConfigMaps.Keep(req.Parent.Spec.Text)
				want.Namespaces.Keep("a/b")
			}
			return &realmResponse{Children: want}, nil
		}),
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) { o.Namespaces = nil },
	})
	realm := &testapi.Realm{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: map[string]string{group: ""}}}
	cluster.Create(realm)
	settings := configMapIn(realm.Name, "settings")
	cluster.Exists(settings)
	said := func(part string) {
		t.Helper()
		cluster.Eventually("an Event says "+part, func() error {
			list := new(eventsv1.EventList)
			if err := cluster.Client.List(t.Context(), list, client.InNamespace("default")); err != nil {
				return err
			}
			for _, event := range list.Items {
				if event.Regarding.UID == realm.UID && strings.Contains(event.Note, part) {
					return nil
				}
			}
			return errors.New("there is none")
		})
	}
	cluster.Update(realm, func() { realm.Spec.Text = "settings" })
	said(`keep "settings": ConfigMap settings has no namespace, which a child of a cluster-scoped parent needs`)
	said(`keep "a/b": Namespace a/b has a namespace, but its kind is cluster-scoped`)
	if uid := settings.UID; !cluster.Get(settings) || settings.UID != uid || settings.DeletionTimestamp != nil {
		t.Error("the child was deleted")
	}
}

// The generated roles allow all that leader election requests: a request that they refuse fails the test.
func TestLeaderElectionLetsOneWork(t *testing.T) {
	t.Parallel()
	a := &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Roles:       generateRoles(t, strings.Replace(siteSpec, ", pruneOnly: true", "", 1)),
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) {
			o.LeaderElect, o.LeaderElectID, o.LeaderElectNamespace = true, "project", o.Namespaces[0]
		},
	})
	cluster.Create(site("web"))
	cluster.Exists(configMap("web", ""))
	lease := named(&coordinationv1.Lease{}, "project")
	cluster.Exists(lease)
	if host, _ := os.Hostname(); lease.Spec.HolderIdentity == nil || !strings.HasPrefix(*lease.Spec.HolderIdentity, host) {
		t.Errorf("the lease is %+v", lease.Spec)
	}
	cluster.Eventually("an Event says who leads", func() error {
		var events eventsv1.EventList
		if err := cluster.Client.List(t.Context(), &events, client.InNamespace(cluster.Namespace)); err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool { return e.Reason == "LeaderElection" && e.Regarding.Kind == "Lease" }) {
			return fmt.Errorf("there are %d others", len(events.Items))
		}
		return nil
	})

	cluster.Stop()
	cluster.Eventually("the lease is released", func() error {
		if cluster.Get(lease); lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
			return fmt.Errorf("it is held by %s", *lease.Spec.HolderIdentity)
		}
		return nil
	})
}
