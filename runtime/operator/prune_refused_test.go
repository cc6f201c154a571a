package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// allowOne has a quota that leaves room for one Service.
func (c *custom) allowOne() {
	c.t.Helper()
	quota := named(&corev1.ResourceQuota{}, "one-service")
	quota.Spec.Hard = corev1.ResourceList{"count/services": resource.MustParse("1")}
	c.Create(quota)
	c.Eventually("the quota counts", func() error {
		if c.Get(quota); quota.Status.Hard == nil {
			return errors.New("it does not")
		}
		return nil
	})
}

// saysPart waits until the message of the Ready condition of a Site contains all of these texts.
func (c *custom) saysPart(site *testapi.Site, texts ...string) {
	c.t.Helper()
	c.Eventually("Ready says "+strings.Join(texts, " … "), func() error {
		c.Get(site)
		var message string
		if condition := meta.FindStatusCondition(site.Status.Conditions, "Ready"); condition != nil {
			message = condition.Message
		}
		for _, text := range texts {
			if !strings.Contains(message, text) {
				return errors.New("it says " + message)
			}
		}
		return nil
	})
}

// An undesired child may be what a refused one of its kind was to stand in for. All others go.
func TestOneRefusedChildDelaysThePruningOfItsKindAlone(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "hello" {
			want.ConfigMaps.Add(configMap("old", ""))
			want.Secrets.Add(named(&corev1.Secret{}, "old"))
			want.Services.Add(service("old"))
			return
		}
		refused := configMap("Not_A_Name", "")
		want.ConfigMaps.Add(refused)
		want.Services.Add(service("new"), operator.After(refused))
		want.Accounts.Add(named(operator.Unstructured("v1", "ServiceAccount"), "new"))
	}), nil)
	site, stays, goes, staysToo := c.site("web"), configMap("old", ""), named(&corev1.Secret{}, "old"), service("old")
	c.says(site, allReady)
	c.Exists(stays, goes, staysToo)
	c.touch(site, "changed")
	c.Gone(goes)
	c.saysPart(site, "Not_A_Name", "; meanwhile ConfigMap "+c.Namespace+"/old stays, which is undesired")
	c.Settled()
	if uid := stays.UID; !c.Get(stays) || stays.UID != uid || stays.DeletionTimestamp != nil {
		t.Error("an undesired child of the refused child's kind was pruned")
	}
	if uid := staysToo.UID; !c.Get(staysToo) || staysToo.UID != uid || staysToo.DeletionTimestamp != nil {
		t.Error("an undesired child was pruned although the new one of its kind comes after the refused child")
	}
	c.lacks(service("new"))
}

// The order of a teardown is the author's. Nothing goes out of turn.
func TestRefusedChildDelaysAnOrderedTeardown(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.Secrets.Add(named(&corev1.Secret{}, "last"))
	}), func(d *definition) {
		d.Teardown = operator.TeardownOrdered
		d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
			want := new(Desired)
			if err := req.Children.ConfigMaps.Refused("Not_A_Name"); err == nil || req.Parent.Spec.Text == "hello" {
				want.ConfigMaps.Add(configMap("Not_A_Name", ""))
			}
			return &Response{Children: want, Finalized: req.Parent.Spec.Text != "hello"}, nil
		}
	})
	site, last := c.site("web"), named(&corev1.Secret{}, "last")
	c.says(site, allReady)
	c.Exists(last)
	c.Delete(site)
	c.saysPart(site, "Not_A_Name")
	c.Settled()
	if uid := last.UID; !c.Get(last) || last.UID != uid || last.DeletionTimestamp != nil {
		t.Error("a child went although the one before it could not be made")
	}
	c.touch(site, "give up")
	c.Gone(site, last)
}

func TestRenamedChildWithAQuotaOfOneNeedsReplaces(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		switch req.Parent.Spec.Text {
		case "hello":
			want.Services.Add(service("a"))
		case "renamed":
			want.Services.Add(service("b"))
		default:
			want.Services.Add(service("b"), operator.Replaces(service("a"), service("never-there")))
		}
	}), nil)
	c.allowOne()
	site, old, renamed := c.site("web"), service("a"), service("b")
	c.says(site, allReady)
	c.Exists(old)

	c.touch(site, "renamed")
	c.saysPart(site, "exceeded quota", fmt.Sprintf("; meanwhile Service %s/a stays, which is undesired: if Service %s/b needs what it holds, add the option operator.Replaces", c.Namespace, c.Namespace))
	c.Settled()
	if uid := old.UID; !c.Get(old) || old.UID != uid || old.DeletionTimestamp != nil {
		t.Error("the old child went although nobody said so")
	}

	c.touch(site, "replaces")
	c.Gone(old)
	c.Exists(renamed)
	c.says(site, allReady)
	c.Converged(site)
}

func TestServiceRenamedWithTheSameNodePort(t *testing.T) {
	var port int32
	nodePort := func(name string) *corev1.Service {
		exposed := service(name)
		exposed.Spec.Type, exposed.Spec.Ports[0].NodePort = corev1.ServiceTypeNodePort, port
		return exposed
	}
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		switch req.Parent.Spec.Text {
		case "hello":
			want.Services.Add(service("a"))
		case "exposed":
			want.Services.Add(nodePort("a"))
		default:
			want.Services.Add(nodePort("b"), operator.Replaces(service("a")))
		}
	}), nil)
	site, old := c.site("web"), service("a")
	c.says(site, allReady)
	free := nodePort("probe")
	c.Create(free)
	port = free.Spec.Ports[0].NodePort
	c.Delete(free)
	c.Gone(free)
	c.touch(site, "exposed")
	c.Eventually("the port is taken", func() error {
		if c.Get(old); old.Spec.Ports[0].NodePort != port {
			return errors.New("it is not")
		}
		return nil
	})
	c.touch(site, "renamed")
	c.Gone(old)
	c.Exists(service("b"))
	c.says(site, allReady)
	c.Converged(site)
}

// What an old child holds is free only when the child is gone.
func TestReplacedChildWithAFinalizerIsWaitedFor(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "hello" {
			want.Pods.Add(withFinalizer(pod("a", "web:1")))
			return
		}
		want.ConfigMaps.Add(configMap("b", ""), operator.Replaces(named(&corev1.Pod{}, "a")))
	}), nil)
	site, old, renamed := c.site("web"), named(&corev1.Pod{}, "a"), configMap("b", "")
	c.Exists(old)
	c.touch(site, "renamed")
	c.says(site, "ConfigMap b waits for Pod "+c.Namespace+"/a, which it replaces")
	c.Settled()
	c.lacks(renamed)
	c.Update(old, func() { old.Finalizers = nil })
	c.Gone(old)
	c.Exists(renamed)
	c.says(site, allReady)
}

// The new child cannot be created, whatever goes first.
func TestReplacedChildStaysWhereTheNewNameBelongsToAnotherObject(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "hello" {
			want.ConfigMaps.Add(configMap("a", ""))
			return
		}
		want.ConfigMaps.Add(configMap("b", ""), operator.Replaces(configMap("a", "")))
	}), nil)
	c.Create(configMap("b", "somebody's"))
	site, old := c.site("web"), configMap("a", "")
	c.Exists(old)
	c.touch(site, "renamed")
	c.saysPart(site, "exists already")
	c.Settled()
	if uid := old.UID; !c.Get(old) || old.UID != uid || old.DeletionTimestamp != nil {
		t.Error("the old child went for nothing")
	}
}

func TestReplacingADesiredChildIsInvalid(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("b", ""), operator.Replaces(configMap("a", "")))
		if req.Parent.Spec.Text == "hello" {
			want.ConfigMaps.Add(configMap("a", ""))
		} else {
			want.ConfigMaps.Keep("a")
		}
	}), nil)
	site := c.site("web")
	invalid := fmt.Sprintf("ConfigMap %s/b replaces ConfigMap %s/a, which is desired or kept", c.Namespace, c.Namespace)
	c.says(site, invalid)
	c.touch(site, "kept")
	c.says(site, invalid)
	c.lacks(configMap("b", ""))
}

// A refusal is the author's to see, and stays known while the author desires something else.
func TestRefusedChildLetsSyncDesireAnother(t *testing.T) {
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		want := new(Desired)
		name := "Not_A_Name"
		if req.Children.ConfigMaps.Refused(name) != nil {
			name = "a-name"
		}
		want.ConfigMaps.Add(configMap(name, ""))
		return &Response{Children: want}, nil
	}, nil)
	site := c.site("web")
	c.Exists(configMap("a-name", ""))
	c.says(site, allReady)
	c.Converged(site)
}

// A name that somebody else's object has is no refusal: a Finalize that gives up a backup which is refused
// would take the object for a reason to do without one.
func TestANameConflictIsNoRefusal(t *testing.T) {
	var refused atomic.Value
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("taken", ""))
		if err := req.Children.ConfigMaps.Refused("taken"); err != nil {
			refused.Store(err.Error())
		}
		return &Response{Children: want}, nil
	}, nil)
	taken := configMap("taken", "by somebody")
	c.Create(taken)
	site := c.site("web")
	conflict := fmt.Sprintf("ConfigMap %s/taken exists already and is not controlled by anything: choose another name, or adopt it with adopt: IfUnowned", c.Namespace)
	c.says(site, conflict)
	for _, text := range []string{"one", "two"} {
		c.touch(site, text)
		c.says(site, conflict)
	}
	if message := refused.Load(); message != nil {
		t.Errorf("Sync was told of a refusal: %v", message)
	}
}

// expectGoneWith waits until a namespace and the Site in it are gone.
func (c *custom) expectGoneWith(namespace string, site client.Object) {
	c.t.Helper()
	deleted := named(&corev1.Namespace{}, namespace)
	c.Delete(deleted)
	c.Gone(deleted, site)
}

// Nothing can be created in a namespace that is being deleted.
func TestNamespaceIsDeletedWithAFinalizeThatDesiresABackup(t *testing.T) {
	t.Parallel()
	backup := named(&corev1.Secret{}, "backup")
	for name, finalized := range map[string]func(*customRequest) bool{
		"and does not wait for it": func(*customRequest) bool { return true },
		"and gives up once it is refused": func(req *customRequest) bool {
			return req.Children.Secrets.Refused("backup") != nil || req.Children.Secrets.Ready("backup")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustomEverywhere(t, customDesire(func(*customRequest, *Desired) {}), func(d *definition) {
				d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
					want := new(Desired)
					want.Secrets.Add(backup.DeepCopy())
					return &Response{Children: want, Finalized: finalized(req)}, nil
				}
			})
			other := c.elsewhere()
			parent := site("web")
			parent.Namespace, parent.Labels = other, map[string]string{c.group: ""}
			c.Create(parent)
			c.says(parent, allReady)
			c.expectGoneWith(other, parent)
		})
	}
}
