package operator_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// keeping is an operator whose Sites have a Service web and a ServiceAccount web that keep what is desired
// of them. The text of a Site names a version and a weight, as in "v1/10". A child gets its version when it
// is created, and from then on only the weight of what was desired is changed.
type keeping struct {
	*custom
	keeps    atomic.Bool // the kinds keep what is desired, from the next start on
	whole    atomic.Bool // Sync desires the whole children again
	options  []operator.ChildOption
	parent   *testapi.Site
	desiring atomic.Value // what Desired returned of the Service to the last Sync
}

func startKeeping(t *testing.T, options ...operator.ChildOption) *keeping {
	t.Helper()
	k := &keeping{options: options}
	k.keeps.Store(true)
	k.custom = startCustom(t, k.syncKept, func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			for i := range all {
				switch all[i].Object.(type) {
				case *corev1.Secret:
				default:
					all[i].KeepDesired = k.keeps.Load()
				}
			}
			return all
		}
	})
	return k
}

// syncKept desires the Service and the ServiceAccount.
func (k *keeping) syncKept(_ context.Context, req *customRequest) (*Response, error) {
	version, weight, _ := strings.Cut(req.Parent.Spec.Text, "/")
	want, phase := new(Desired), "Known"
	labels := map[string]string{"version": version, "weight": weight}
	web := service("web")
	web.Labels = labels
	account := operator.Unstructured("v1", "ServiceAccount")
	account.SetName("web")
	account.SetLabels(labels)
	_, exists := req.Children.Services.Get("web")
	switch {
	case !exists, k.whole.Load():
		want.Services.Add(web, k.options...)
		want.Accounts.Add(account, k.options...)
	default:
		old, ok := req.Children.Services.Desired("web")
		if !ok {
			want.Services.Keep("web")
			phase = "Unknown"
		} else {
			k.desiring.Store(old.DeepCopy())
			old.Labels["weight"] = weight
			want.Services.Add(old, k.options...)
		}
		before, ok := req.Children.Accounts.Desired("web")
		if !ok {
			want.Accounts.Keep("web")
		} else {
			changed := before.GetLabels()
			changed["weight"] = weight
			before.SetLabels(changed)
			want.Accounts.Add(before, k.options...)
		}
	}
	return &Response{Children: want, Status: &testapi.Status{Phase: phase}}, nil
}

// runs creates the Site, with the version v1 and the weight 10.
func (k *keeping) runs() {
	k.t.Helper()
	k.parent = k.siteOf("web", "v1/10")
	k.says(k.parent, allReady)
	k.Settled()
}

// has waits until the Service has this version and weight.
func (k *keeping) has(version, weight string) *corev1.Service {
	k.t.Helper()
	web := named(&corev1.Service{}, "web")
	k.Eventually("it is "+version+" with "+weight, func() error {
		if !k.Get(web) || web.Labels["version"] != version || web.Labels["weight"] != weight {
			return fmt.Errorf("it is %v", web.Labels)
		}
		return nil
	})
	return web
}

// phase waits until the Site has a phase.
func (k *keeping) phase(phase string) {
	k.t.Helper()
	k.Eventually("the phase is "+phase, func() error {
		if k.Get(k.parent); k.parent.Status.Phase != phase {
			return fmt.Errorf("it is %s", k.parent.Status.Phase)
		}
		return nil
	})
}

// kept is the annotation of the children.
func (k *keeping) kept() string { return k.group + "/desired" }
