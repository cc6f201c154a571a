package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// powerful is an operator whose Sites have a ConfigMap, and a Secret of a kind with allowDisconnect: false. Whoever may
// write Sites, and nothing else, tries to keep the Secret after its Site.
type powerful struct {
	*custom
	site      *testapi.Site
	secret    *corev1.Secret
	configMap *corev1.ConfigMap
	isAllowed atomic.Bool // as in a release of the operator before the key
}

// powerfulModes are the ways in which children go with their parent.
var powerfulModes = map[string]func(*definition){
	"collected": func(*definition) {},
	"ordered":   func(d *definition) { d.Teardown = operator.TeardownOrdered },
	"finalized": func(d *definition) {
		d.Finalize = func(context.Context, *customRequest) (*Response, error) {
			return &Response{Children: new(Desired), Finalized: true}, nil
		}
	},
}

// startPowerful runs the operator. isAllowed is what an earlier release says.
func startPowerful(t *testing.T, mode func(*definition), isAllowed bool) *powerful {
	t.Helper()
	p := &powerful{secret: named(&corev1.Secret{}, "powerful"), configMap: configMap("harmless", "")}
	p.isAllowed.Store(isAllowed)
	p.custom = startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("harmless", ""))
		want.Secrets.Add(named(&corev1.Secret{}, "powerful"))
	}), func(d *definition) {
		mode(d)
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			all[1].ForbidDisconnect = !p.isAllowed.Load()
			return all
		}
	})
	p.site = p.custom.site("web")
	p.says(p.site, allReady)
	p.Exists(p.secret, p.configMap)
	p.Settled()
	return p
}

// forbid is the release of the operator with the key.
func (p *powerful) forbid() { p.isAllowed.Store(false) }

// annotate sets an annotation of the Site, as its user can.
func (p *powerful) annotate(key string) {
	p.t.Helper()
	p.Update(p.site, func() { metav1.SetMetaDataAnnotation(&p.site.ObjectMeta, p.group+key, "true") })
}

// suspended annotates the Site, and waits until the operator has seen it.
func (p *powerful) suspended(key string) {
	p.t.Helper()
	p.annotate(key)
	p.Eventually("the Site is suspended", func() error {
		if p.Get(p.site); !slices.ContainsFunc(p.site.Status.Conditions, func(c metav1.Condition) bool { return c.Type == "Suspended" }) {
			return fmt.Errorf("conditions are %v", p.site.Status.Conditions)
		}
		return nil
	})
	p.Settled()
}

// deleteWhileDown deletes the Site with --cascade=orphan while no operator runs, and waits for the garbage collector.
func (p *powerful) deleteWhileDown() {
	p.t.Helper()
	p.Stop()
	p.deleteOrphaning(p.site)
	p.Eventually("the garbage collector takes its finalizer off", func() error {
		if p.Get(p.site) && slices.Contains(p.site.Finalizers, metav1.FinalizerOrphanDependents) {
			return errors.New("it has not")
		}
		return nil
	})
	p.Restart()
}

// expectGone fails the test unless the Site and the powerful child go.
func (p *powerful) expectGone() {
	p.t.Helper()
	p.Gone(p.site, p.secret)
	p.Settled()
}

// powerfulWays are what a user of a Site may try. The operator runs at the end of each.
var powerfulWays = map[string]func(p *powerful){
	"cascade=orphan": func(p *powerful) { p.deleteOrphaning(p.site) },
	"cascade=orphan while the operator is down": func(p *powerful) { p.deleteWhileDown() },
	"cascade=orphan by the finalizer on the living parent": func(p *powerful) {
		p.Update(p.site, func() { p.site.Finalizers = append(p.site.Finalizers, metav1.FinalizerOrphanDependents) })
		p.Delete(p.site)
	},
	"cascade=orphan and the record of it": func(p *powerful) {
		p.Update(p.site, func() { metav1.SetMetaDataAnnotation(&p.site.ObjectMeta, p.group+"/orphaning", string(p.site.UID)) })
		p.deleteOrphaning(p.site)
	},
	"cascade=orphan of a paused parent": func(p *powerful) {
		p.suspended("/paused")
		p.deleteOrphaning(p.site)
		p.collected(p.site)
		p.Settled()
		p.Crash()
		p.Update(p.site, func() { delete(p.site.Annotations, p.group+"/paused") })
	},
	"disconnect, then delete": func(p *powerful) {
		p.suspended("/disconnect")
		p.Delete(p.site)
	},
	"disconnect, then cascade=orphan": func(p *powerful) {
		p.suspended("/disconnect")
		p.deleteOrphaning(p.site)
	},
	"disconnect, then cascade=orphan while the operator is down": func(p *powerful) {
		p.suspended("/disconnect")
		p.deleteWhileDown()
	},
	"the finalizer removed by hand": func(p *powerful) {
		p.Delete(p.site)
		p.takeFinalizersOff(p.site)
	},
	"the finalizer removed by hand while the operator is down": func(p *powerful) {
		p.Stop()
		p.forceAway(p.site)
		p.Restart()
	},
	"the finalizer removed by hand, with cascade=orphan": func(p *powerful) {
		p.deleteOrphaning(p.site)
		p.takeFinalizersOff(p.site)
	},
	"the finalizer of a disconnected parent removed by hand": func(p *powerful) {
		p.suspended("/disconnect")
		p.Delete(p.site)
		p.takeFinalizersOff(p.site)
	},
	"the label that selects the parent": func(p *powerful) {
		p.Update(p.site, func() { delete(p.site.Labels, p.group) })
		p.Gone(p.secret)
		p.Delete(p.site)
	},
	"the label that selects the parent, with cascade=orphan at once": func(p *powerful) {
		p.Stop()
		p.Update(p.site, func() { delete(p.site.Labels, p.group) })
		p.deleteOrphaning(p.site)
		p.Restart()
	},
}

// takeFinalizersOff removes the finalizers of an object that is deleted, until it is gone.
func (c *custom) takeFinalizersOff(object client.Object) {
	c.t.Helper()
	c.Eventually("the parent is gone", func() error {
		if !c.Get(object) {
			return nil
		}
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		if err := c.Client.Patch(c.t.Context(), object, patch); client.IgnoreNotFound(err) != nil {
			return err
		}
		return errors.New("it is not")
	})
}

// Whoever may write a parent could otherwise keep a child that was made with the operator's permissions for good. Each
// way ends with the child gone. In short mode each way runs in one mode.
func TestNoUserOfAParentKeepsAChildOfAKindThatForbidsIt(t *testing.T) {
	t.Parallel()
	for name, way := range powerfulWays {
		for mode, change := range powerfulModes {
			t.Run(name+"/"+mode, func(t *testing.T) {
				if mode != "collected" {
					longtest.Skip(t, "each way is tried in each mode")
				}
				p := startPowerful(t, change, false)
				way(p)
				p.expectGone()
			})
		}
	}
}

// The key in operator, rather than in a kind, forbids it for all kinds.
func TestOperatorThatForbidsDisconnectsLosesNoChild(t *testing.T) {
	p := startPowerful(t, func(d *definition) { d.ForbidDisconnect = true }, true)
	p.deleteOrphaning(p.site)
	p.Gone(p.site, p.secret, p.configMap)
}

// What the key does not forbid still works beside it.
func TestCascadeOrphanKeepsTheChildrenOfOtherKinds(t *testing.T) {
	p := startPowerful(t, func(*definition) {}, false)
	p.deleteOrphaning(p.site)
	p.Gone(p.site, p.secret)
	p.Settled()
	p.expectKept([]client.Object{p.configMap})
}
