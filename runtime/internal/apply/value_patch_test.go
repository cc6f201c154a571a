package apply

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// podTemplateOf returns a child of a kind that no controller writes to.
func podTemplateOf(labels map[string]string, spec corev1.PodSpec) client.Object {
	return named(&corev1.PodTemplate{Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}})
}

func initContainers(names ...string) client.Object {
	var spec corev1.PodSpec
	for _, name := range names {
		spec.InitContainers = append(spec.InitContainers, corev1.Container{Name: name, Image: name + ":1"})
	}
	spec.Containers = []corev1.Container{{Name: "main", Image: "web:1"}}
	return podTemplateOf(nil, spec)
}

func mainContainer(change func(*corev1.Container)) client.Object {
	c := corev1.Container{Name: "main", Image: "web:1", Args: []string{"a"},
		Env: []corev1.EnvVar{{Name: "ONE", Value: "1"}, {Name: "TWO", Value: "2"}}, Ports: []corev1.ContainerPort{{ContainerPort: 53, Name: "dns"}}}
	change(&c)
	return podTemplateOf(map[string]string{"example.com/image": c.Image[4:]}, corev1.PodSpec{Containers: []corev1.Container{c}})
}

func TestChangeOfACreatedChild(t *testing.T) {
	same := mainContainer(func(*corev1.Container) {})
	for _, test := range []struct {
		name     string
		one, two client.Object
		requests string
	}{
		{"a value and a label", same, mainContainer(func(c *corev1.Container) { c.Image = "web:2" }), "dry post 201, json-patch 200"},
		{"an item's value", same, mainContainer(func(c *corev1.Container) { c.Env[1].Value = "3" }), "dry post 201, json-patch 200"},
		{"of an item whose key is defaulted", same, mainContainer(func(c *corev1.Container) { c.Ports[0].Name = "udp" }), "dry post 201, json-patch 200"},
		{"of a custom resource", gadget(object{"tree": object{"a~b/c": 1}}), gadget(object{"tree": object{"a~b/c": 2}}), "dry post 201, json-patch 200"},
		{"the order of items", initContainers("a", "b"), initContainers("b", "a"), "dry post 201, apply 200"},
		{"another item", initContainers("a"), initContainers("a", "b"), "dry post 201, apply 200"},
		{"an atomic list", same, mainContainer(func(c *corev1.Container) { c.Args = nil }), "dry post 201, get 200, merge 200, apply 200"},
		{"an item of an atomic list", same, mainContainer(func(c *corev1.Container) { c.Args = []string{"a", "b"} }), "dry post 201, apply 200"},
		{"a new field", same, mainContainer(func(c *corev1.Container) { c.WorkingDir = "/tmp" }), "dry post 201, apply 200"},
		{"a dropped item", initContainers("a", "b"), initContainers("b"), "dry post 201, get 200, merge 200, apply 200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startServer(t).child(test.one, Desired{})
			c.expect(test.one, Created, "post 201")
			c.expect(test.two, Updated, test.requests)
			c.expect(test.two, Unchanged, "")
			c.restart()
			c.expect(test.two, Unchanged, "")
			if entries := c.live().GetManagedFields(); test.requests == "json-patch 200" && len(entries) != 1 {
				t.Errorf("managedFields has %d entries, want one", len(entries))
			}
			want := c.desired(test.two).fields()
			delete(want, "metadata")
			if live, err := contentOf(c.live()); err != nil || !includesValue(live, want) {
				t.Errorf("the child is %v, %v\nwant %v", live, err, want)
			}
		})
	}
}

// Somebody else has added a container before ours, which the cache shows or does not show yet.
func TestValuePatchFindsItsItem(t *testing.T) {
	one, two := mainContainer(func(*corev1.Container) {}), mainContainer(func(c *corev1.Container) { c.Image = "web:2" })
	inject := func(object client.Object) {
		spec := &object.(*corev1.PodTemplate).Template.Spec
		spec.Containers = append([]corev1.Container{{Name: "proxy", Image: "proxy:1"}}, spec.Containers...)
	}
	for _, test := range []struct {
		name, requests string
		stale          bool
	}{
		{"as the cache shows it", "dry post 201, json-patch 200", false},
		{"before the cache shows it", "dry post 201, json-patch 422, apply 200", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startServer(t).child(one, Desired{})
			c.expect(one, Created, "post 201")
			seen := c.cached()
			c.edit("injector", inject)
			if !test.stale {
				seen = c.cached()
			}
			c.made()
			if outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(two), seen); err != nil || outcome.Action != Updated {
				t.Errorf("%+v, %v", outcome, err)
			}
			if made := c.made(); made != test.requests {
				t.Errorf("requests: %q, want %q", made, test.requests)
			}
			var images []string
			for _, container := range c.live().(*corev1.PodTemplate).Template.Spec.Containers {
				images = append(images, container.Image)
			}
			if !cmp.Equal(images, []string{"proxy:1", "web:2"}) && !cmp.Equal(images, []string{"web:2", "proxy:1"}) {
				t.Errorf("images are %v", images)
			}
			c.expect(two, Unchanged, "")
		})
	}
}

// A patch for one child does not reach another object of its name.
func TestValuePatchReachesNoOtherChild(t *testing.T) {
	for _, successor := range []bool{false, true} {
		t.Run(fmt.Sprint("there is another: ", successor), func(t *testing.T) {
			c := startServer(t).child(configMap(), Desired{})
			c.expect(configMap("key", "one"), Created, "post 201")
			gone := c.cached()
			if err := c.server.Client.Delete(t.Context(), c.live()); err != nil {
				t.Fatal(err)
			}
			if successor {
				theirs := configMap("key", "theirs")
				theirs.SetNamespace(c.namespace)
				if err := c.Create(t.Context(), theirs); err != nil {
					t.Fatal(err)
				}
			}
			c.made()
			outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(configMap("key", "two")), gone)
			if !errors.As(err, new(ErrStale)) {
				t.Errorf("%+v, %v, want it to be stale", outcome, err)
			}
			if made, want := c.made(), map[bool]string{false: "json-patch 404, apply 409", true: "json-patch 422, apply 422"}[successor]; made != want {
				t.Errorf("requests: %q, want %q", made, want)
			}
		})
	}
}

// The cache may show a child as ours that another parent has taken. It is not changed.
func TestChildOfAnotherParentIsNotChanged(t *testing.T) {
	for _, test := range []struct {
		name, requests string
		applied        bool
		change         client.Object
		policy         declared.ImmutablePolicy
	}{
		{"by a JSON patch", "json-patch 422, apply 422, dry post 201", false, configMap("key", "two"), declared.FailIfImmutable},
		{"by an apply", "apply 422, dry post 201", true, configMap("key", "two"), declared.FailIfImmutable},
		{"by a new one", "apply 422, dry post 201", false, configMap("key", "one", "other", "1"), declared.RecreateIfImmutable},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startServer(t).child(configMap(), Desired{Policies: declared.Policies{WhenImmutable: test.policy}})
			c.applied = test.applied
			if _, err := c.reconcile(configMap("key", "one")); err != nil {
				t.Fatal(err)
			}
			seen := c.cached()
			other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "other"}}
			if err := c.Create(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			c.edit("other", func(object client.Object) {
				object.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(other, corev1.SchemeGroupVersion.WithKind("ConfigMap"))})
			})
			before := c.live()
			c.made()
			outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(test.change), seen)
			if !errors.As(err, new(ErrStale)) {
				t.Errorf("%+v, %v, want it to be stale", outcome, err)
			}
			if made := c.made(); made != test.requests {
				t.Errorf("requests: %q, want %q", made, test.requests)
			}
			if diff := cmp.Diff(before, c.live()); diff != "" {
				t.Errorf("the child has changed:\n%s", diff)
			}
		})
	}
}

// An apply takes back a value that another manager has taken.
func TestValueOfAnotherManagerIsApplied(t *testing.T) {
	c := startServer(t).child(configMap(), Desired{})
	c.expect(configMap("key", "one", "other", "1"), Created, "post 201")
	c.drift("data.key", "theirs")
	c.expect(configMap("key", "two", "other", "2"), Updated, "apply 200")
	c.expectAt("in the end", "data", map[string]any{"key": "two", "other": "2"})
	c.expect(configMap("key", "two", "other", "2"), Unchanged, "")
}

// Two versions of a kind may name a field differently. Each has its own entry in managedFields.
func TestChildOfAnotherVersionIsApplied(t *testing.T) {
	c := startServer(t).child(configMap(), Desired{})
	c.expect(configMap("key", "one"), Created, "post 201")
	seen := c.cached()
	entries := seen.GetManagedFields()
	entries[0].APIVersion = "v1beta1"
	seen.SetManagedFields(entries)
	c.made()
	if outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(configMap("key", "two")), seen); err != nil || outcome.Action != Updated {
		t.Errorf("%+v, %v", outcome, err)
	}
	if made := c.made(); made != "apply 200" {
		t.Errorf("requests: %q, want an apply", made)
	}
}

// After any changes, a created child equals one that was applied.
func TestValuePatchEqualsApply(t *testing.T) {
	const changes = 3
	lives := longtest.Cases(t, make([]struct{}, 60), 12, "each is applied in two ways, several times")
	s := startServer(t)
	random := rand.New(rand.NewPCG(1, 2))
	revisions := 0
	for life := range lives {
		wish := randomTemplate(random)
		created, applied := s.child(wish, Desired{}), s.child(wish, Desired{})
		created.wish.Name.Name = fmt.Sprint("created-", life)
		applied.wish.Name.Name, applied.applied = fmt.Sprint("applied-", life), true
		for n := range changes {
			s.made()
			created.settle(wish)
			if s.made() == "dry post 201, json-patch 200" {
				revisions++
			}
			applied.settle(wish)
			a, b := created.live().(*corev1.PodTemplate), applied.live().(*corev1.PodTemplate)
			if diff := cmp.Diff(b.Template, a.Template) + cmp.Diff(b.Labels, a.Labels); diff != "" {
				t.Fatalf("life %d after change %d (-applied +created):\n%s", life, n, diff)
			}
			wish = changedOnce(random, wish.(*corev1.PodTemplate))
			if random.IntN(2) == 0 {
				wish = changedOnce(random, wish.(*corev1.PodTemplate))
			}
		}
	}
	if revisions < len(lives)/4 {
		t.Errorf("only %d of %d changes were revisions", revisions, len(lives)*(changes-1))
	}
}

func randomTemplate(random *rand.Rand) client.Object {
	var spec corev1.PodSpec
	for _, name := range []string{"a", "b"} {
		spec.Containers = append(spec.Containers, corev1.Container{Name: name, Image: name + ":1"})
	}
	template := podTemplateOf(map[string]string{"app": "web"}, spec)
	for range 6 {
		template = changedOnce(random, template.(*corev1.PodTemplate))
	}
	return template
}

// changedOnce returns a template with one change.
func changedOnce(random *rand.Rand, template *corev1.PodTemplate) client.Object {
	template = template.DeepCopy()
	spec := &template.Template.Spec
	c := &spec.Containers[random.IntN(len(spec.Containers))]
	text := fmt.Sprint(random.IntN(3))
	switch random.IntN(14) {
	case 0, 1, 2:
		c.Image = c.Name + ":" + text
	case 3:
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprint("V", len(c.Env)), Value: text})
	case 4, 5:
		if len(c.Env) > 0 {
			c.Env[0].Value = text
		}
	case 6:
		if len(c.Env) > 1 {
			c.Env[0], c.Env[1] = c.Env[1], c.Env[0]
		}
	case 7:
		c.Env = c.Env[:len(c.Env)/2]
	case 8:
		c.Args = append(c.Args[:len(c.Args)/2:len(c.Args)/2], text)
	case 9:
		c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1" + text + "00m")}
	case 10:
		c.Ports = append(c.Ports[:0:0], corev1.ContainerPort{Name: "p" + text, ContainerPort: 80})
	case 11:
		template.Template.Labels = map[string]string{"app": "web", "example.com/tier": text}
	case 12:
		template.Labels = map[string]string{"tier": text}
	case 13:
		spec.Containers[0], spec.Containers[1] = spec.Containers[1], spec.Containers[0]
	}
	return template
}
