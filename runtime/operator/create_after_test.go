package operator_test

import (
	"errors"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// inOrder wants a database and a web server that is created after it.
func inOrder(req *customRequest, want *Desired) {
	database := pod("database", "db:1")
	want.Pods.Add(database)
	want.ConfigMaps.Add(configMap("web", req.Parent.Spec.Text), operator.CreateAfter(database))
	if req.Parent.Spec.Text == "hello" {
		want.Secrets.Add(named(&corev1.Secret{}, "old"))
	}
}

func TestOnlyTheCreationOfAChildComesAfterOthers(t *testing.T) {
	c := startCustom(t, customDesire(inOrder), nil)
	site, database, web := c.site("web"), named(&corev1.Pod{}, "database"), configMap("web", "")
	waits := "Pod database is not ready; ConfigMap web waits for Pod " + c.Namespace + "/database"
	c.says(site, waits)
	c.lacks(web)

	c.touch(site, "one")
	c.Settled()
	if !c.Get(named(&corev1.Secret{}, "old")) {
		t.Error("a child was pruned while another waited for its creation")
	}
	c.beReady(database, corev1.ConditionTrue)
	c.Matches(configMap("web", "one"))
	c.Gone(named(&corev1.Secret{}, "old"))
	c.says(site, allReady)
	c.Converged(site)

	// Once it exists, it is changed and repaired.
	c.beReady(database, corev1.ConditionFalse)
	c.touch(site, "two")
	c.Matches(configMap("web", "two"))
	c.Update(web, func() { web.Data["key"] = "drift" })
	c.Matches(configMap("web", "two"))
	c.Restart()
	c.touch(site, "three")
	c.Matches(configMap("web", "three"))
	c.says(site, "Pod database is not ready")

	// Each creation waits, also that of a child that somebody has deleted.
	c.Delete(web)
	c.says(site, waits)
	c.lacks(web)
	c.beReady(database, corev1.ConditionTrue)
	c.Matches(configMap("web", "three"))
	c.Converged(site)
}

// A child is not deleted for a creation that would wait.
func TestAChildIsNotRecreatedBeforeItsCreationMayBegin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options func(text string) []operator.ChildOption
		goal    string // the image in the end
	}{
		"by its strategy": {func(string) []operator.ChildOption { return nil }, "two"},
		"one by one":      {func(string) []operator.ChildOption { return []operator.ChildOption{operator.RollingRecreate} }, "two"},
		"by RecreateIf": {func(text string) []operator.ChildOption {
			return []operator.ChildOption{operator.InPlace, operator.RecreateIf(text == "two")}
		}, "two"},
	} {
		t.Run(name, func(t *testing.T) {
			var before atomic.Value // the UID of the Pod that is to go
			before.Store(types.UID(""))
			c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
				text, database := req.Parent.Spec.Text, pod("database", "db:1")
				want.Pods.Add(database, operator.InPlace)
				options := test.options(text)
				if seen, ok := req.Children.Pods.Get("web"); ok && seen.UID != before.Load() {
					options = test.options("")
				}
				want.Pods.Add(pod("web", text), append(options, operator.CreateAfter(database))...)
			}), nil)
			site, database, web := c.siteOf("web", "one"), named(&corev1.Pod{}, "database"), named(&corev1.Pod{}, "web")
			c.beReady(database, corev1.ConditionTrue)
			c.Exists(web)
			before.Store(web.UID)
			c.beReady(web, corev1.ConditionTrue)
			c.says(site, allReady)
			c.beReady(database, corev1.ConditionFalse)
			c.Settled() // the operator knows before Sync wants a change
			c.touch(site, "two")
			c.says(site, "Pod database is not ready; Pod web waits for Pod "+c.Namespace+"/database")
			c.Settled()
			if !c.Get(web) || web.UID != before.Load() || web.DeletionTimestamp != nil {
				t.Fatal("the child was deleted")
			}
			c.beReady(database, corev1.ConditionTrue)
			c.Eventually("the child is recreated", func() error {
				if !c.Get(web) || web.UID == before.Load() {
					return errors.New("it is the same")
				}
				return nil
			})
			c.Matches(pod("web", test.goal))
		})
	}
}
