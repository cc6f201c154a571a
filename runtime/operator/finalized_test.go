package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// backups are what a Finalize here makes last. They outlive the parent.
var backups = []string{"backup-a", "backup-b"}

// finalizeWithBackups makes the backups and is finalized once both exist.
func finalizeWithBackups(_ context.Context, req *customRequest) (*Response, error) {
	want := new(Desired)
	for _, name := range backups {
		want.ConfigMaps.Add(configMap(name, ""), orphaned...)
	}
	return &Response{Children: want, Finalized: req.Children.ConfigMaps.Len() == len(backups)}, nil
}

// dropBackups does likewise, and no longer desires the backups in its last answer.
func dropBackups(ctx context.Context, req *customRequest) (*Response, error) {
	response, err := finalizeWithBackups(ctx, req)
	if response.Finalized {
		response.Children = new(Desired)
	}
	return response, err
}

// An orphaned backup is no child any more. A Finalize that ran again would desire it again, and
// meet the name of an object that is not the parent's.
func TestCrashBetweenFinalizedAndTheEndOfTheOrphaningLetsTheParentGo(t *testing.T) {
	t.Parallel()
	for name, finalize := range map[string]customFunction{"backups are desired": finalizeWithBackups, "backups are dropped": dropBackups} {
		for _, nth := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, crash after %d", name, nth), func(t *testing.T) {
				c := startCustom(t, customDesire(func(*customRequest, *Desired) {}), func(d *definition) { d.Finalize = finalize })
				site := c.site("web")
				c.says(site, allReady)
				crash := operatortest.Fault{Verb: "patch", Resource: "configmaps", Nth: nth, When: operatortest.After, What: operatortest.Crash}
				c.Inject(crash)
				c.Delete(site)
				c.Gone(site)
				if c.Struck(crash) != 1 {
					t.Error("the operator did not crash")
				}
				for _, name := range backups {
					c.expectOrphaned(configMap(name, ""))
				}
				created := slices.DeleteFunc(c.Writes(), func(r operatortest.Request) bool { return r.Verb != "create" })
				if len(created) != len(backups) {
					t.Errorf("created %v, want each backup once", created)
				}
			})
		}
	}
}

// finalizedSite deletes a Site that has a Finalize, and returns the writes that this cost.
func finalizedSite(t *testing.T, options []operator.ChildOption, finalize customFunction) []string {
	t.Helper()
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("a", ""), options...)
		want.ConfigMaps.Add(configMap("b", ""), options...)
	}), func(d *definition) { d.Finalize = finalize })
	site := c.site("web")
	c.says(site, allReady)
	before := c.Settled()
	c.Delete(site)
	c.Gone(site)
	c.Settled()
	var made []string
	for _, request := range c.Requests()[before:] {
		made = append(made, request.String())
	}
	return made
}

func TestFinalizedCostsAWriteOnlyWhereTheOperatorRemovesChildren(t *testing.T) {
	allGo := func(context.Context, *customRequest) (*Response, error) {
		return &Response{Children: new(Desired), Finalized: true}, nil
	}
	for name, test := range map[string]struct {
		options  []operator.ChildOption
		expected []string
	}{
		"the garbage collector deletes the children": {nil, []string{
			"patch sites/status web: 200", // Ready says Finalizing
			"patch sites web: 200",
		}},
		"the children are orphaned": {orphaned, []string{
			"patch sites web: 200", // the record of what Finalize said
			"get sites web: 200",
			"patch configmaps a: 200",
			"patch configmaps b: 200",
			"patch sites/status web: 200",
			"patch sites web: 200",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := finalizedSite(t, test.options, allGo)
			slices.SortStableFunc(got, func(a, b string) int { // the children of a kind go in any order
				if strings.HasPrefix(a, "patch configmaps") && strings.HasPrefix(b, "patch configmaps") {
					return strings.Compare(a, b)
				}
				return 0
			})
			if diff := operatortest.Diff(test.expected, got); diff != "" {
				t.Errorf("requests (-expected +got):\n%s", diff)
			}
		})
	}
}

// A restored or recreated parent may carry the record of an earlier one, and a user may write
// anything.
func TestFinalizeRunsAlthoughTheParentCarriesTheRecordOfAnother(t *testing.T) {
	called := make(chan struct{}, 100)
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("kept", ""), orphaned...)
	}), func(d *definition) {
		d.Finalize = func(context.Context, *customRequest) (*Response, error) {
			called <- struct{}{}
			return &Response{Finalized: true}, nil
		}
	})
	created := site("web")
	created.Labels = map[string]string{c.group: ""}
	created.Annotations = map[string]string{c.group + "/finalized": "uid-of-another"}
	c.Create(created)
	c.says(created, allReady)
	c.Delete(created)
	c.Gone(created)
	if len(called) == 0 {
		t.Error("Finalize never ran")
	}
}

// A parent may be selected again before everything is orphaned.
func TestFinalizedIsForgottenOnceTheParentIsSelectedAgain(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("kept", ""), orphaned...)
	}), func(d *definition) {
		d.Finalize = func(context.Context, *customRequest) (*Response, error) { return &Response{Finalized: true}, nil }
	})
	site := c.site("web")
	c.says(site, allReady)
	refusal := operatortest.Fault{Verb: "patch", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseForbidden}
	c.Inject(refusal)
	c.Update(site, func() { delete(site.Labels, c.group) })
	c.Eventually("what Finalize said is recorded", func() error { return expectRecord(c, site, string(site.UID)) })
	c.Update(site, func() { site.Labels = map[string]string{c.group: ""} })
	c.Eventually("the record is gone", func() error { return expectRecord(c, site, "") })
	c.ClearFaults()
	c.Reconciled(site)
	c.Converged(site)

	c.Update(site, func() { delete(site.Labels, c.group) })
	c.expectOrphaned(configMap("kept", ""))
	c.Eventually("nothing of the operator's is left", func() error {
		if c.Get(site); len(site.Finalizers) > 0 {
			return fmt.Errorf("finalizers are %v", site.Finalizers)
		}
		return expectRecord(c, site, "")
	})
}

// expectRecord compares what a Site records of Finalize.
func expectRecord(c *custom, site *testapi.Site, expected string) error {
	if c.Get(site); site.Annotations[c.group+"/finalized"] != expected {
		return fmt.Errorf("annotations are %v", site.Annotations)
	}
	return nil
}
