package operator_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// brakeSitesKey is the variable that says how many Sites a brake sees.
const brakeSitesKey = "OPGEN_BRAKE_SITES"

// brakedFleet is an operator with many Sites in one process, which a test gives other options.
type brakedFleet struct {
	*fixture
	controller string // its name
	sites      []*testapi.Site
	options    func(*operator.Options) // of the next start; nil for none
}

// startFleet runs an operator with this Sync and creates its Sites.
func startFleet(t *testing.T, a *author) *brakedFleet {
	t.Helper()
	t.Parallel()
	sites, err := strconv.Atoi(cmp.Or(os.Getenv(brakeSitesKey), "40"))
	if err != nil {
		t.Fatal(err)
	}
	d := siteDefinition{Name: "site"}
	if a.alter != nil {
		a.alter(&d)
	}
	f := &brakedFleet{controller: d.Name}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) {
			if f.options != nil {
				f.options(o)
			}
		},
	})
	f.fixture = &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	for i := range sites {
		f.sites = append(f.sites, site(fmt.Sprintf("site-%04d", i)))
		f.Create(f.sites[i])
	}
	f.waits("all have a status", func() error {
		if known := len(f.withReason("Ready")) + len(f.withReason("Progressing")); known != sites {
			return fmt.Errorf("%d have", known)
		}
		return nil
	})
	f.Settled()
	return f
}

// limit returns how many Sites may lose children.
func (f *brakedFleet) limit() int { return max(20, len(f.sites)/10) }

// countReady waits until so many Sites have a Ready condition with this reason.
func (f *brakedFleet) countReady(reason string, expected int) {
	f.t.Helper()
	f.waits(fmt.Sprintf("%d Sites have reason %s", expected, reason), func() error {
		if found := len(f.withReason(reason)); found != expected {
			return fmt.Errorf("%d have", found)
		}
		return nil
	})
}

// waits is Eventually for all Sites.
func (f *brakedFleet) waits(what string, check func() error) {
	f.t.Helper()
	(&fleet{fixture: f.fixture, sites: make([]string, len(f.sites))}).waits(what, check)
}

func (f *brakedFleet) withReason(reason string) (sites []testapi.Site) {
	f.t.Helper()
	list := new(testapi.SiteList)
	if err := f.Client.List(f.t.Context(), list, client.InNamespace(f.Namespace)); err != nil {
		f.t.Fatal(err)
	}
	for _, site := range list.Items {
		if ready := meta.FindStatusCondition(site.Status.Conditions, "Ready"); ready != nil && ready.Reason == reason && ready.ObservedGeneration == site.Generation {
			sites = append(sites, site)
		}
	}
	return sites
}

// countChildren waits until there are so many children of a kind.
func (f *brakedFleet) countChildren(list client.ObjectList, expected int) {
	f.t.Helper()
	f.waits(fmt.Sprintf("there are %d %T", expected, list), func() error {
		if err := f.Client.List(f.t.Context(), list, client.InNamespace(f.Namespace), client.HasLabels{testapi.Version.Group + "/" + f.controller}); err != nil {
			return err
		}
		if found := meta.LenList(list); found != expected {
			return fmt.Errorf("there are %d", found)
		}
		return nil
	})
}

// allPodsReady waits until there are so many Pods, and plays the kubelet: all of them are ready.
func (f *brakedFleet) allPodsReady(expected int) {
	f.t.Helper()
	pods := new(corev1.PodList)
	f.countChildren(pods, expected)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`))
	for i := range pods.Items {
		if pods.Items[i].Status.Phase == corev1.PodRunning {
			continue
		}
		if err := f.Client.Status().Patch(f.t.Context(), &pods.Items[i], patch); err != nil {
			f.t.Fatal(err)
		}
	}
	f.Settled()
}

// edit changes the spec of all Sites.
func (f *brakedFleet) edit(text string) {
	f.t.Helper()
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"text":%q}}`, text))
	for _, site := range f.sites {
		if err := f.Client.Patch(f.t.Context(), site, patch); err != nil {
			f.t.Fatal(err)
		}
	}
}

// touch causes a reconcile of all Sites, which leaves their specs as they are.
func (f *brakedFleet) touch(sites []*testapi.Site, token string) {
	f.t.Helper()
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, pokeKey, token))
	for _, site := range sites {
		if err := f.Client.Patch(f.t.Context(), site, patch); err != nil {
			f.t.Fatal(err)
		}
	}
}

// neverHeld fails the test if prunes were held.
func (f *brakedFleet) neverHeld() {
	f.t.Helper()
	f.Settled()
	lease := named(&coordinationv1.Lease{}, f.controller+"."+testapi.Version.Group+"-prunes")
	if f.Get(lease) {
		f.t.Errorf("prunes counted: %v", lease.Annotations)
	}
	f.countReady("PruneHeld", 0)
}

var releaseCommand = regexp.MustCompile(`kubectl annotate lease (\S+) --namespace (\S+) (\S+)=(\S+) --overwrite`)

// heldAs returns the Lease, the annotation and its value that release what a Site's condition says
// is held.
func (f *brakedFleet) heldAs() (lease *coordinationv1.Lease, key, value string) {
	f.t.Helper()
	sites := f.withReason("PruneHeld")
	if len(sites) == 0 {
		f.t.Fatal("nothing is held")
	}
	message := meta.FindStatusCondition(sites[0].Status.Conditions, "Ready").Message
	found := releaseCommand.FindStringSubmatch(message)
	if found == nil {
		f.t.Fatalf("no command in %q", message)
	}
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: found[1], Namespace: found[2]}}, found[3], found[4]
}

// release does what the command in a Site's condition does.
func (f *brakedFleet) release() {
	f.t.Helper()
	lease, key, value := f.heldAs()
	f.Update(lease, func() { metav1.SetMetaDataAnnotation(&lease.ObjectMeta, key, value) })
}

// desireFor is desire for children that carry the name of their Site.
func desireFor(fill func(site *testapi.Site, want *Desired)) Function {
	return func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		fill(req.Parent, want)
		return &Response{Children: want}, nil
	}
}

func twoConfigMaps(site *testapi.Site, want *Desired) {
	want.ConfigMaps.Add(configMap(site.Name+"-a", "one"))
	want.ConfigMaps.Add(configMap(site.Name+"-b", "one"))
}

func desireNone(*testapi.Site, *Desired) {}
