package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// An operator that ends between the takeover and the first answer of Sync finds all of it at the next
// start, and so does one whose children are taken over in part.
func TestTakeoverGoesOnWhereAnEarlierProcessEnded(t *testing.T) {
	f := before(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": []byte("old")}}
	other := configMap("other", "")
	f.madeFor(f.site, formerManager, secret, other)
	s := f.succeed(&author{sync: func(ctx context.Context, _ *Request) (*Response, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	f.Eventually("the Secret is taken over", func() error {
		if !f.hasMarks(secret, f.site) || !f.hasMarks(other, f.site) {
			return errors.New("it is not")
		}
		return nil
	})
	s.end(f.t)
	f.Update(other, func() { delete(other.Labels, siteLabel) }) // as if it had not been reached

	seen := make(chan string, 1000)
	f.succeed(&author{sync: sawFirst(seen)})
	f.status("Ready", "Ready")
	if first := <-seen; first != "web [other] old" {
		t.Errorf("the first call of Sync saw %q", first)
	}
	f.Exists(secret)
	f.Gone(other)
}

// A status without conditions cannot say that the takeover is still to come, and is not written before.
func TestStatusWithoutConditionsIsNotWrittenBeforeTheTakeover(t *testing.T) {
	f := before(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": []byte("old")}}
	f.madeFor(f.site, formerManager, secret)
	seen := make(chan string, 1000)
	a := &author{sync: sawFirst(seen), alter: func(d *siteDefinition) { d.Conditions = nil }}
	for range 2 { // the second process finds the same
		s := f.succeed(a)
		s.refuse("secrets")
		f.Eventually("the log tells of the failure", func() error {
			if s.log.count("reason=TakeoverFailed") == 0 {
				return errors.New(s.log.String())
			}
			return nil
		})
		s.end(f.t)
	}
	if f.Get(f.site); f.site.Status.ObservedGeneration != 0 || len(seen) > 0 {
		t.Errorf("the status is %+v, and Sync was called %d times", f.site.Status, len(seen))
	}
	f.succeed(a)
	if first := <-seen; first != "web [] old" {
		t.Errorf("the first call of Sync saw %q", first)
	}
}

// A parent that is disconnected at the start keeps what it has, and takes it over once it is connected.
func TestDisconnectedParentIsTakenOverOnceItIsConnected(t *testing.T) {
	f := before(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": []byte("old")}}
	f.madeFor(f.site, formerManager, secret)
	f.annotate(disconnectKey, "true")
	seen := make(chan string, 1000)
	f.succeed(&author{sync: sawFirst(seen)})
	f.status("Suspended", "Disconnected")
	if f.hasMarks(secret, f.site) || len(secret.OwnerReferences) != 1 {
		t.Errorf("the Secret has the labels %v and the owners %v", secret.Labels, secret.OwnerReferences)
	}
	f.annotate(disconnectKey, "")
	f.status("Ready", "Ready")
	if first := <-seen; first != "web [] old" {
		t.Errorf("the first call of Sync saw %q", first)
	}
	f.Exists(secret)
}

// More managers than the API server names have updated a child, so that it has merged the oldest of them.
// Their fields stay, and the message is bounded.
func TestChildOfManyManagersIsTakenOver(t *testing.T) {
	f := before(t)
	object := configMap("web", "")
	object.Data = map[string]string{"first": "1"}
	f.madeFor(f.site, formerManager, object)
	for i := range 12 {
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"data":{"by-%02d":"1"}}`, i))
		if err := f.Client.Patch(t.Context(), object.DeepCopy(), patch, client.FieldOwner(fmt.Sprintf("updater-%02d", i))); err != nil {
			t.Fatal(err)
		}
	}
	f.succeed(takingOver(desireData(map[string]string{"new": "1"}), formerManager))
	f.shows("data.by-00, data.by-01, data.by-02 and 1 more of ancient-changes; data.by-03 of updater-03; ")
	f.shows("; and 7 more")
	if f.Get(object); len(object.Data) != 14 || object.Data["new"] != "1" {
		t.Errorf("data is %v", object.Data)
	}
}

// A cluster-scoped parent takes over what lies where its children may lie.
func TestClusterScopedParentTakesOver(t *testing.T) {
	t.Parallel()
	seen := make(chan int, 1000)
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*testapi.Realm, struct{}, realmChildren, realmDesired, struct{}]{
				Name: "realm", Group: "takeover.opgen.dev", Schemes: runtime.SchemeBuilder{testapi.AddToScheme}, TakeOverFrom: []string{formerManager},
				Parents: []operator.ParentKind{{Object: &testapi.Realm{}, Labels: t.Name()}},
				Kinds: func(observed *realmChildren, desired *realmDesired) []operator.ChildKind {
					return []operator.ChildKind{{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)}}
				},
				Sync: func(_ context.Context, req *realmRequest) (*realmResponse, error) {
					seen <- req.Children.ConfigMaps.Len()
					return &realmResponse{Children: new(realmDesired)}, nil
				},
			})}, nil
		},
		CRDs: []string{"../internal/testapi/crds.yaml"}, Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	cluster.Stop()
	f := &fixture{Cluster: cluster, t: t}
	realm := makeRealm(t, cluster)
	f.Create(realm)
	object := configMap("web", "")
	f.madeFor(realm, formerManager, object)
	f.Restart()
	f.Gone(object)
	if first := <-seen; first != 1 {
		t.Errorf("the first call of Sync saw %d children", first)
	}
}

// What another operator has made does not say which entry of a kind it is of: Sync says it.
func TestTakenOverJobIsOfTheEntryThatDesiresIt(t *testing.T) {
	o := startEntries(t, desireBoth, nil)
	o.Stop()
	o.Create(o.site)
	migrate, backup := runJob("migrate"), runJob("backup")
	(&fixture{Cluster: o.Cluster, t: t}).madeFor(o.site, formerManager, migrate, backup)
	o.Restart()
	o.Eventually("each Job is in its entry", func() error {
		if m, b := o.sees("Migrations"), o.sees("Backups"); !slices.Equal(m, []string{"migrate"}) || !slices.Equal(b, []string{"backup"}) {
			return fmt.Errorf("Sync sees migrations %v and backups %v", m, b)
		}
		return nil
	})
	if o.job("backup").UID != backup.UID || o.job("migrate").UID != migrate.UID {
		t.Error("a Job was made once more")
	}
	o.Converged(o.site)
}

// Whoever may write the status of a parent does not decide whether this operator has reconciled it: a copy of a child
// that was left alone before stays alone.
func TestClearedStatusMakesNoParentNew(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options  []operator.ChildOption
		finalize bool // the finalizer shows it, and no child
	}{
		"with a child that was applied":          {},
		"with a child that is never changed":     {options: []operator.ChildOption{operator.CreateOnly}},
		"with the finalizer and without a child": {finalize: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
				if !test.finalize {
					want.ConfigMaps.Add(configMap("web", "one"), test.options...)
				}
			}), func(d *definition) {
				if test.finalize {
					d.Finalize = func(context.Context, *customRequest) (*Response, error) { return &Response{Finalized: true}, nil }
				}
			})
			site := c.site("web")
			c.says(site, allReady)
			c.Settled()
			copied := configMap("web-copy", "")
			copied.Namespace = c.Namespace
			copied.Labels = map[string]string{c.group + "/site": string(site.UID)}
			copied.OwnerReferences = []metav1.OwnerReference{{APIVersion: "test.opgen.dev/v1", Kind: "Site", Name: "web", UID: site.UID, Controller: new(true), BlockOwnerDeletion: new(true)}}
			c.makeAs("kubectl-create", copied)
			c.saysOfCopy(copied)
			c.Stop()
			if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(site), site); err != nil {
				t.Fatal(err)
			}
			site.Status = testapi.Status{}
			if err := c.Client.Status().Update(t.Context(), site); err != nil {
				t.Fatal(err)
			}
			c.Restart()
			c.says(site, allReady)
			c.Settled()
			c.Exists(copied)
		})
	}
}
