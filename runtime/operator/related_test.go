package operator_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// readers is a Sync that notes which parents were reconciled, and copies what it reads
// into their phase.
type readers struct {
	mu         sync.Mutex
	reconciles map[string]int
}

func (r *readers) Sync(_ context.Context, req *customRequest) (*Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reconciles[req.Parent.Name]++
	var phase string
	for object := range req.Related.ConfigMaps.All() {
		phase += object.Name + "=" + object.Data["key"] + ";"
	}
	for object := range req.Related.Secrets.All() {
		phase += object.Name + "=" + string(object.Data["key"]) + ";"
	}
	for object := range req.Related.Namespaces.All() {
		phase += object.Labels["tier"] + ";"
	}
	return &Response{Children: new(Desired), Status: &testapi.Status{Phase: phase}}, nil
}

func (r *readers) of(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reconciles[name]
}

func (c *custom) phase(site *testapi.Site, expected string) {
	c.t.Helper()
	c.Eventually("the Site has read "+expected, func() error {
		if c.Get(site); site.Status.Phase != expected {
			return errors.New("it has read " + site.Status.Phase)
		}
		return nil
	})
}

func startReaders(t *testing.T, change func(*definition)) (*custom, *readers) {
	r := &readers{reconciles: map[string]int{}}
	return startCustomEverywhere(t, r.Sync, change), r
}

func TestRelatedObjectsByNameSyncThoseThatReadThem(t *testing.T) {
	c, r := startReaders(t, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{
				Object: &corev1.ConfigMap{}, NameFrom: ".spec.text", Fields: operator.BindRelated(&related.ConfigMaps),
			}}
		}
	})
	reader, other := c.site("reader"), c.site("other")
	c.touch(reader, "settings")
	c.touch(other, "unrelated")
	c.phase(reader, "")
	c.Settled()

	before := r.of("other")
	settings := configMap("settings", "one")
	c.Create(settings)
	c.phase(reader, "settings=one;")
	c.Update(settings, func() { settings.Data["key"] = "two" })
	c.phase(reader, "settings=two;")
	c.Delete(settings)
	c.phase(reader, "")
	c.Settled()
	if after := r.of("other"); after != before {
		t.Errorf("%d reconciles of a parent that reads something else", after-before)
	}

	// What it reads follows its spec.
	c.Create(configMap("more", "three"))
	c.touch(reader, "more")
	c.phase(reader, "more=three;")
}

func TestRelatedObjectsBySelectorAndNamespace(t *testing.T) {
	c, _ := startReaders(t, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{
				{Object: &corev1.ConfigMap{}, Selector: "app=" + d.Group, Namespaces: []string{operator.AllNamespaces}, Fields: operator.BindRelated(&related.ConfigMaps)},
				{Object: &corev1.Namespace{}, SelectorFrom: ".metadata.annotations", Fields: operator.BindRelated(&related.Namespaces)},
			}
		}
	})
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace + "-other", Labels: map[string]string{"owner": c.Namespace, "tier": "gold"}}}
	c.Create(other)
	site := c.site("web")
	for i, namespace := range []string{c.Namespace, other.Name} {
		object := configMap(fmt.Sprint("c", i), "x")
		object.Namespace, object.Labels = namespace, map[string]string{"app": c.group}
		c.Create(object)
	}
	c.Create(configMap("unlabelled", "x"))
	c.phase(site, "c0=x;c1=x;")
	c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, "owner", c.Namespace) })
	c.phase(site, "c0=x;c1=x;gold;")
	c.Update(other, func() { other.Labels["tier"] = "silver" })
	c.phase(site, "c0=x;c1=x;silver;")
	c.Update(other, func() { delete(other.Labels, "owner") })
	c.phase(site, "c0=x;c1=x;")
}

func TestRelatedObjectsThatTheAuthorComputes(t *testing.T) {
	c, _ := startReaders(t, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Dynamic: true, Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
		d.Select = func(_ context.Context, site *testapi.Site) ([][]operator.Selection, error) {
			switch site.Spec.Text {
			case "error":
				return nil, errors.New("no such thing")
			case "panic":
				panic("no such thing")
			}
			return [][]operator.Selection{{
				{Names: []string{site.Spec.Text + "-a", site.Spec.Text + "-b"}},
				{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"for": site.Spec.Text}}},
			}}, nil
		}
	})
	labelled := configMap("labelled", "3")
	labelled.Labels = map[string]string{"for": "x"}
	c.Create(configMap("x-a", "1"), configMap("x-b", "2"), labelled)
	site := c.site("web")
	c.touch(site, "x")
	c.phase(site, "labelled=3;x-a=1;x-b=2;")
	c.touch(site, "error")
	c.says(site, "no such thing")
	c.touch(site, "panic")
	c.says(site, "panic: no such thing")
	c.touch(site, "x")
	c.phase(site, "labelled=3;x-a=1;x-b=2;")
	c.says(site, allReady)
}

func TestAChangeOfARelatedObjectEndsTheWaitAfterAnError(t *testing.T) {
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		if _, ok := req.Related.ConfigMaps.Get("settings"); !ok {
			return nil, reconcile.TerminalError(errors.New("there are no settings"))
		}
		return &Response{Children: new(Desired)}, nil
	}, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Name: "settings", Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
	})
	site := c.site("web")
	c.says(site, "there are no settings")
	c.Create(configMap("settings", "one"))
	c.says(site, allReady)
}

func TestAParentGoesThoughWhatItReadsCannotBeFound(t *testing.T) {
	c, _ := startReaders(t, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.Namespace{}, SelectorFrom: ".metadata.annotations", Fields: operator.BindRelated(&related.Namespaces)}}
		}
		d.Teardown = operator.TeardownOrdered
	})
	c.setSync(customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("web", "")) }))
	site, child := c.site("web"), configMap("web", "")
	c.Exists(child)
	c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, "owner", "no label has this value") })
	c.Eventually("the selector is refused", func() error {
		if c.Get(site); !meta.IsStatusConditionFalse(site.Status.Conditions, "Ready") {
			return errors.New("it is not")
		}
		return nil
	})
	c.Delete(site)
	c.Gone(site, child)
}

func TestAnAuthorsSelectionThatTakesTooLongIsGivenUp(t *testing.T) {
	c, r := startReaders(t, func(d *definition) {
		d.Timeout = time.Second
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Dynamic: true, Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
		d.Select = func(ctx context.Context, site *testapi.Site) ([][]operator.Selection, error) {
			if site.Spec.Text == "slow" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return [][]operator.Selection{nil}, nil
		}
	})
	site := c.site("web")
	c.Eventually("a reconcile is over", func() error {
		if r.of("web") == 0 {
			return errors.New("none is")
		}
		return nil
	})
	c.touch(site, "slow")
	c.says(site, "Related did not end within 1s: context deadline exceeded")
	if shown := meta.FindStatusCondition(site.Status.Conditions, "Ready"); shown.Reason != "SyncTimedOut" {
		t.Errorf("the reason is %s", shown.Reason)
	}
}

func TestClusterScopedRelatedObjectsByName(t *testing.T) {
	c, r := startReaders(t, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.Namespace{}, NameFrom: ".spec.text", Fields: operator.BindRelated(&related.Namespaces)}}
		}
	})
	tier := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace + "-tier", Labels: map[string]string{"tier": "gold"}}}
	c.Create(tier)
	site, other := c.site("web"), c.site("other")
	c.touch(site, tier.Name)
	c.phase(site, "gold;")
	c.phase(other, "")
	c.Settled()
	before := r.of("other")
	c.Update(tier, func() { tier.Labels["tier"] = "silver" })
	c.phase(site, "silver;")
	if after := r.of("other"); after != before {
		t.Errorf("%d reconciles of a parent that reads something else", after-before)
	}
}
