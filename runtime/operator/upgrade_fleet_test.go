package operator_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// childrenOfSite is how many children of each resource the operator makes of a Site.
var childrenOfSite = map[string]int{
	"configmaps": 4, "secrets": 1, "services": 1, "pods": 3, "deployments": 1, "jobs": 1, "widgets": 1,
}

// childrenKinds are their kinds.
var childrenKinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "ConfigMap"}, {Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "Service"}, {Version: "v1", Kind: "Pod"},
	{Group: "apps", Version: "v1", Kind: "Deployment"}, {Group: "batch", Version: "v1", Kind: "Job"},
	testapi.Version.WithKind("Widget"),
}

// fleet is many Sites, on which one replica after the other works.
type fleet struct {
	*fixture
	sites []string // their names
	text  string   // of all of them
}

// fleetReplica is an operator with leader election in a process of its own.
type fleetReplica struct {
	*operatorProcess
	*record
	runtime string // which one it was built with
	metrics string // where they are served
}

func (f *fleet) launchReplica(runtime, file string) *fleetReplica {
	f.t.Helper()
	kubeconfig, record := startRecord(f.t)
	address := freeAddress(f.t)
	return &fleetReplica{
		operatorProcess: f.launchProgram("with "+runtime, file, nil, "--kubeconfig", kubeconfig, "--leader-elect",
			"--leader-elect-namespace", f.Namespace, "--metrics-bind-address", address, "--metrics-secure=false"),
		record: record, runtime: runtime, metrics: "http://" + address + "/metrics",
	}
}

// add makes Sites, with children of their own.
func (f *fleet) add(sites int) {
	f.t.Helper()
	for range sites {
		name := fmt.Sprintf("site-%04d", len(f.sites))
		site := &testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: name}, Spec: testapi.Spec{Text: f.text}}
		if err := f.Client.Create(f.t.Context(), site); err != nil {
			f.t.Fatal(err)
		}
		f.sites = append(f.sites, name)
	}
}

// change gives all Sites another text.
func (f *fleet) change(text string) {
	f.t.Helper()
	f.text = text
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"text":%q}}`, text))
	for _, name := range f.sites {
		site := &testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: name}}
		if err := f.Client.Patch(f.t.Context(), site, patch); err != nil {
			f.t.Fatal(err)
		}
	}
}

// converges waits until the status of every Site says that it is as desired.
func (f *fleet) converges() {
	f.t.Helper()
	f.waits("every Site is as desired", func() error {
		sites := new(testapi.SiteList)
		if err := f.Client.List(f.t.Context(), sites, client.InNamespace(f.Namespace)); err != nil {
			return err
		}
		for _, site := range sites.Items {
			is := site.Status
			if is.Phase != f.text || is.ObservedGeneration != site.Generation || len(is.Conditions) != 1 || is.Conditions[0].Status != metav1.ConditionTrue {
				return fmt.Errorf("status of %s is %+v", site.Name, is)
			}
		}
		return nil
	})
}

// waits is Eventually with the time that a large fleet takes.
func (f *fleet) waits(what string, check func() error) {
	f.t.Helper()
	err := check()
	for deadline := time.Now().Add(time.Minute + time.Duration(len(f.sites))*time.Second); err != nil; err = check() {
		if time.Now().After(deadline) {
			f.t.Fatalf("waiting until %s: %v", what, err)
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// settles waits until a replica has reconciled every Site, and then has done nothing for
// a while.
func (f *fleet) settles(r *fleetReplica) {
	f.t.Helper()
	const still = 3 * time.Second
	before, since := "", time.Now()
	f.waits("the replica with "+r.runtime+" has nothing to do", func() error {
		count, err := r.reconciles()
		if err != nil {
			return err
		}
		if now := fmt.Sprintf("%d reconciles, %d writes", count, len(r.writes(0))); now != before {
			before, since = now, time.Now()
		}
		if count < len(f.sites) || time.Since(since) < still {
			return errors.New("it has made " + before)
		}
		return nil
	})
}

var reconcilesLine = regexp.MustCompile(`(?m)^opgen_(?:sync|reconcile)_total\{.*result="success".*\} (\S+)$`)

// reconciles reads how many reconciles of a replica have succeeded.
func (r *fleetReplica) reconciles() (int, error) {
	response, err := http.Get(r.metrics)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	found := reconcilesLine.FindSubmatch(page)
	if found == nil {
		return 0, nil
	}
	count, err := strconv.ParseFloat(string(found[1]), 64)
	return int(count), err
}

// uids are those of all children, by their kinds and names.
func (f *fleet) uids() map[string]types.UID {
	f.t.Helper()
	uids := map[string]types.UID{}
	for _, kind := range childrenKinds {
		list := new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := f.Client.List(f.t.Context(), list, client.InNamespace(f.Namespace)); err != nil {
			f.t.Fatal(err)
		}
		for _, child := range list.Items {
			if strings.HasPrefix(child.Name, "site-") {
				uids[kind.Kind+" "+child.Name] = child.UID
			}
		}
	}
	expected := 0
	for _, children := range childrenOfSite {
		expected += children * len(f.sites)
	}
	if len(uids) != expected {
		f.t.Errorf("there are %d children, want %d", len(uids), expected)
	}
	return uids
}

// hasOnlyDesired checks that the former texts are gone from the Widgets, where they were
// names of fields.
func (f *fleet) hasOnlyDesired() {
	f.t.Helper()
	for _, name := range f.sites {
		widget := named(operator.Unstructured("test.opgen.dev/v1", "Widget"), name)
		f.Get(widget)
		tree, _, err := unstructured.NestedMap(widget.Object, "spec", "tree")
		if err != nil || tree[f.text] == nil || len(tree) != 4 {
			f.t.Errorf("Widget %s has %v, want the field %s: %v", name, tree, f.text, err)
			return
		}
	}
}

// sitesOfFleet is how many Sites a variable asks for, or else fewer unless the test explores.
func sitesOfFleet(t *testing.T, explores bool, value string) int {
	t.Helper()
	switch {
	case value != "":
		sites, err := strconv.Atoi(value)
		if err != nil || sites < 1 {
			t.Fatalf("%s=%s: want a number of at least 1", upgradeSitesKey, value)
		}
		return sites
	case explores:
		return 1000
	}
	return 50
}
