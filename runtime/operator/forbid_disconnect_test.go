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

// A release that adds the key finds children with owner references, and parents without its finalizer.
func TestKindThatComesToForbidDisconnects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before func(p *powerful) // the operator that allows it runs
		down   func(p *powerful) // no operator runs
		after  func(p *powerful) // the operator that forbids it runs
	}{
		"a living parent": {after: func(p *powerful) {
			p.Settled()
			p.deleteWhileDown()
		}},
		"a paused parent": {before: func(p *powerful) { p.suspended("/paused") }, after: func(p *powerful) {
			p.Settled()
			p.deleteWhileDown()
			p.Update(p.site, func() { delete(p.site.Annotations, p.group+"/paused") })
		}},
		"a disconnected parent": {before: func(p *powerful) { p.suspended("/disconnect") }, after: func(p *powerful) {
			p.Settled()
			p.deleteWhileDown()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := startPowerful(t, func(*definition) {}, true)
			if test.before != nil {
				test.before(p)
			}
			p.Stop()
			p.forbid()
			p.Restart()
			p.Reconciled(p.site)
			test.after(p)
			p.expectGone()
		})
	}
}

// The garbage collector has taken the references off before the release that adds the key sees the deletion.
func TestKindThatComesToForbidDisconnectsAfterTheDeletion(t *testing.T) {
	p := startPowerful(t, powerfulModes["finalized"], true)
	p.Stop()
	p.forbid()
	p.deleteWhileDown()
	p.expectGone()
}

// A child that Sync only keeps, or that is never changed, is bound as well.
func TestKeptChildOfAKindThatComesToForbidDisconnects(t *testing.T) {
	p := startPowerful(t, func(*definition) {}, true)
	p.setSync(customDesire(func(_ *customRequest, want *Desired) { want.Secrets.Keep("powerful") }))
	p.touch(p.site, "keeps")
	p.Gone(p.configMap)
	p.Settled()
	p.Stop()
	p.forbid()
	p.Restart()
	p.Reconciled(p.site)
	p.Settled()
	p.deleteWhileDown()
	p.expectGone()
}

// Whoever may write the child itself needs none of this. While the parent lives, the marks come back.
func TestMarksOfAPowerfulChildComeBack(t *testing.T) {
	t.Parallel()
	for name, strip := range map[string]func(p *powerful){
		"label":                func(p *powerful) { delete(p.secret.Labels, p.group+"/site") },
		"annotation":           func(p *powerful) { delete(p.secret.Annotations, p.group+"/parent") },
		"policy":               func(p *powerful) { p.secret.Annotations[p.group+"/when-removed"] = "Orphan" },
		"reference of another": func(p *powerful) { p.secret.OwnerReferences = []metav1.OwnerReference{p.referenceToConfigMap()} },
	} {
		t.Run(name, func(t *testing.T) {
			p := startPowerful(t, func(*definition) {}, false)
			p.Update(p.secret, func() { strip(p) })
			p.Eventually("its marks are back", func() error {
				p.Get(p.secret)
				if p.secret.Labels[p.group+"/site"] != string(p.site.UID) || p.secret.Annotations[p.group+"/parent"] == "" {
					return fmt.Errorf("it has %v", p.secret.ObjectMeta)
				}
				return nil
			})
			p.Settled()
			p.deleteOrphaning(p.site)
			p.expectGone()
		})
	}
}

// referenceToConfigMap returns a reference that makes no controller of the ConfigMap.
func (p *powerful) referenceToConfigMap() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: p.configMap.Name, UID: p.configMap.UID}
}

// A parent of the same name is another one.
func TestParentThatIsMadeAgainKeepsNoPowerfulChild(t *testing.T) {
	p := startPowerful(t, func(*definition) {}, false)
	p.Stop()
	uid := p.secret.UID
	p.forceAway(p.site)
	p.site = p.custom.site("web")
	p.Restart()
	p.says(p.site, allReady)
	if p.Get(p.secret); p.secret.UID == uid {
		t.Error("the new parent has the child of the old one")
	}
}
