package operator_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
