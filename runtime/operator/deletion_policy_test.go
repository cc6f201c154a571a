package operator_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// strategies are the children of a Site in these tests. Two of a kind roll, the
// first of which is never ready.
var strategies = []struct {
	name   string
	update operator.UpdateStrategy
}{
	{"in-place", operator.InPlace},
	{"recreate", operator.Recreate},
	{"on-delete", operator.OnDelete},
	{"create-only", operator.CreateOnly},
	{"rolling-a", operator.RollingRecreate},
	{"rolling-b", operator.RollingRecreate},
}

// policied wants a Pod for each strategy. The parent's text is the image, and the
// deletion policies if there are to be options, as a child carries them: "web:1 Orphan".
func policied(req *customRequest, want *Desired) {
	image, policy, _ := strings.Cut(req.Parent.Spec.Text, " ")
	for _, child := range strategies {
		want.Pods.Add(pod(child.name, image), append(removalOptions(policy), child.update)...)
	}
}

// removalOptions returns the options that make a child carry this text.
func removalOptions(text string) (options []operator.ChildOption) {
	set := declared.ParseDeletionText(text)
	if set.WhenDropped != "" {
		options = append(options, operator.WhenDropped(set.WhenDropped))
	}
	if set.WhenDeleted != "" {
		options = append(options, operator.WhenDeleted(set.WhenDeleted))
	}
	return options
}

// startPolicied starts an operator with a parent of this text whose Pods exist.
func startPolicied(t *testing.T, text string) (*custom, *testapi.Site, map[string]types.UID) {
	t.Helper()
	c := startCustom(t, customDesire(policied), nil)
	site, uids := site("web"), map[string]types.UID{}
	site.Labels, site.Spec.Text = map[string]string{c.group: ""}, text
	c.Create(site)
	for _, child := range strategies {
		object := named(&corev1.Pod{}, child.name)
		c.Exists(object)
		uids[child.name] = object.UID
		if child.name != "rolling-a" {
			c.ready(child.name)
		}
	}
	return c, site, uids
}

// policies waits until every child says what becomes of it. It returns their UIDs.
func (c *custom) policies(site *testapi.Site, expected string) map[string]types.UID {
	c.t.Helper()
	uids := map[string]types.UID{}
	for _, child := range strategies {
		c.Eventually(fmt.Sprintf("%s says %q", child.name, expected), func() error {
			object := named(&corev1.Pod{}, child.name)
			err := c.saying(object, site, expected)()
			uids[child.name] = object.UID
			return err
		})
	}
	return uids
}

// saying returns a check that a child says this, and belongs to its parent in the
// way that goes with it.
func (c *custom) saying(child client.Object, site *testapi.Site, expected string) func() error {
	return func() error {
		c.Get(child)
		annotations, owners := child.GetAnnotations(), child.GetOwnerReferences()
		_, names := annotations[c.group+"/parent"]
		refers := len(owners) == 1 && owners[0].UID == site.UID
		outlives := declared.ParseDeletionText(expected).WhenDeleted == operator.Orphan
		if annotations[c.group+"/when-removed"] != expected || refers == outlives || names == refers {
			return fmt.Errorf("annotations %v, owners %v", annotations, owners)
		}
		return nil
	}
}

func TestAnotherDeletionPolicyReplacesNoChild(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first  string
		then   []string
		change func(c *custom, change func())
	}{
		"while the operator runs": {"", []string{
			"Orphan", "Delete", "", "Delete", "Orphan", "", "whenDropped=Orphan", "whenDropped=Orphan,whenDeleted=Delete", "whenDeleted=Orphan", "whenDropped=Delete,whenDeleted=Orphan", "Orphan",
		}, func(_ *custom, change func()) { change() }},
		"while it is down": {"Orphan", []string{"Delete", "whenDropped=Delete,whenDeleted=Orphan", "Orphan", "", "whenDropped=Orphan", "Delete", ""}, func(c *custom, change func()) {
			c.Stop()
			change()
			// As one that an older version has made.
			child := named(&corev1.Pod{}, "recreate")
			c.Update(child, func() { child.Annotations[c.group+"/desired-hash"] = "of an older version" })
			c.Restart()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c, site, before := startPolicied(t, "hello "+test.first)
			for _, policy := range test.then {
				test.change(c, func() { c.touch(site, "hello "+policy) })
				for name, uid := range c.policies(site, policy) {
					if uid != before[name] {
						t.Errorf("%s is another object once it says %q", name, policy)
						before[name] = uid
					}
				}
			}
			for _, request := range c.Writes() {
				if request.Verb == "delete" {
					t.Errorf("unexpected request: %s", request)
				}
			}
			c.Converged(site)
		})
	}
}

func TestAnotherDeletionPolicyReachesAChildThatWaitsForItsChange(t *testing.T) {
	c, site, before := startPolicied(t, "hello")
	c.touch(site, "v2 Orphan")
	uids := c.policies(site, "Orphan")
	for name, image := range map[string]string{"in-place": "v2", "on-delete": "hello", "create-only": "hello", "rolling-b": "hello"} {
		child := named(&corev1.Pod{}, name)
		if c.Get(child); child.Spec.Containers[0].Image != image || uids[name] != before[name] {
			t.Errorf("%s runs %s and was replaced: %v; want %s", name, child.Spec.Containers[0].Image, uids[name] != before[name], image)
		}
	}
	if uids["recreate"] == before["recreate"] || uids["rolling-a"] == before["rolling-a"] {
		t.Error("another image was written in place")
	}
	c.ready("rolling-a")
	c.Gone(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "rolling-b", UID: before["rolling-b"]}})
	c.ready("recreate", "rolling-b")
	c.Converged(site)
}

func TestACopyOfAnObservedChildIsOwnedAsItsOptionSays(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		child, ok := req.Children.ConfigMaps.Get("web")
		if !ok {
			child = configMap("web", "value")
		}
		if _, policy, ok := strings.Cut(req.Parent.Spec.Text, " "); ok {
			want.ConfigMaps.Add(child, removalOptions(policy)...)
			return
		}
		want.ConfigMaps.Add(child)
	}), nil)
	site, child := c.site("web"), configMap("web", "")
	for text, expected := range map[string]string{"a Orphan": "Orphan", "b Delete": "Delete", "c whenDropped=Orphan,whenDeleted=Delete": "whenDropped=Orphan,whenDeleted=Delete"} {
		c.touch(site, text)
		c.Eventually("the child says "+expected, c.saying(child, site, expected))
		c.touch(site, "none")
		c.Eventually("the child says nothing", c.saying(child, site, ""))
	}
	c.Converged(site)
}
