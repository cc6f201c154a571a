package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	// Related are the related objects that a test may ask for.
	Related struct {
		ConfigMaps operator.Snapshot[*corev1.ConfigMap]
		Namespaces operator.Snapshot[*corev1.Namespace]
		Secrets    operator.Snapshot[*corev1.Secret]
		Gadgets    operator.Snapshot[*unstructured.Unstructured]
		Claims     operator.Snapshot[*corev1.PersistentVolumeClaim]
	}
	customRequest  = operator.Request[*testapi.Site, Children, Related]
	customFunction = func(context.Context, *customRequest) (*Response, error)
	// definition is that of a controller of Sites, which a test changes.
	definition = operator.Definition[*testapi.Site, testapi.Status, Children, Desired, Related]
)

// custom is a controller under an API group of its own, for the Sites that carry
// the group as a label, so that it meets no other test's.
type custom struct {
	*operatortest.Cluster
	t     *testing.T
	group string
	sync  atomic.Pointer[customFunction]
	limit func(*operator.Options) // of the next start; nil for none
}

// startCustom runs an operator in the test's namespace with this Sync, after change has completed its definition.
func startCustom(t *testing.T, sync customFunction, change func(*definition)) *custom {
	t.Helper()
	return startCustomIn(t, sync, change, func(*operator.Options) {})
}

// startCustomEverywhere is startCustom in all namespaces.
func startCustomEverywhere(t *testing.T, sync customFunction, change func(*definition)) *custom {
	t.Helper()
	return startCustomIn(t, sync, change, func(o *operator.Options) { o.Namespaces = nil })
}

// startCustomIn is startCustom with other options.
func startCustomIn(t *testing.T, sync customFunction, change func(*definition), options func(*operator.Options)) *custom {
	t.Helper()
	t.Parallel()
	return addCustom(t, sync, change, options)
}

// addCustom runs one more in the same test.
func addCustom(t *testing.T, sync customFunction, change func(*definition), options func(*operator.Options)) *custom {
	t.Helper()
	return addCustomAs(t, "", sync, change, options)
}

// addCustomAs is addCustom with the rights of the roles in a file; all rights if it is empty.
func addCustomAs(t *testing.T, roles string, sync customFunction, change func(*definition), options func(*operator.Options)) *custom {
	t.Helper()
	return addCustomWith(t, func(config *operatortest.Config) { config.Roles = roles }, sync, change, options)
}

// addCustomWith is addCustom after configure has completed the configuration of the cluster.
func addCustomWith(t *testing.T, configure func(*operatortest.Config), sync customFunction, change func(*definition), options func(*operator.Options)) *custom {
	t.Helper()
	c := &custom{t: t, group: strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"}
	c.setSync(sync)
	config := operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			d := definition{
				Name:               "site",
				Group:              c.group,
				Parents:            []operator.ParentKind{{Object: &testapi.Site{}, Labels: c.group}},
				Schemes:            runtime.SchemeBuilder{testapi.AddToScheme},
				Kinds:              kinds,
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync: func(ctx context.Context, req *customRequest) (*Response, error) {
					return (*c.sync.Load())(ctx, req)
				},
			}
			if change != nil {
				change(&d)
			}
			return []operator.Controller{operator.NewController(d)}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) {
			options(o)
			if c.limit != nil {
				c.limit(o)
			}
		},
	}
	configure(&config)
	c.Cluster = operatortest.Start(t, config)
	return c
}

// anywhere lets the children of all kinds lie in any namespace.
func anywhere(d *definition) {
	d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
		return inNamespaces(kinds(observed, desired), operator.AllNamespaces)
	}
}

// inNamespaces lets children of these kinds lie in some namespaces.
func inNamespaces(kinds []operator.ChildKind, namespaces ...string) []operator.ChildKind {
	for i := range kinds {
		kinds[i].Namespaces = namespaces
	}
	return kinds
}

func (c *custom) setSync(sync customFunction) { c.sync.Store(&sync) }

// site creates a Site that is a parent.
func (c *custom) site(name string) *testapi.Site {
	c.t.Helper()
	return c.siteOf(name, site(name).Spec.Text)
}

// siteOf is site with another text.
func (c *custom) siteOf(name, text string) *testapi.Site {
	c.t.Helper()
	created := site(name)
	created.Labels, created.Spec.Text = map[string]string{c.group: ""}, text
	c.Create(created)
	return created
}

// says waits until the Ready condition of a Site has this message.
func (c *custom) says(site *testapi.Site, message string) {
	c.t.Helper()
	c.Eventually("Ready says "+message, func() error {
		c.Get(site)
		condition := meta.FindStatusCondition(site.Status.Conditions, "Ready")
		if condition == nil || condition.Message != message {
			return errors.New("it is " + operatortest.Diff(nil, condition))
		}
		return nil
	})
}

// touch changes the spec of a Site, and so the text that its Sync sees.
func (c *custom) touch(site *testapi.Site, text string) {
	c.t.Helper()
	c.Update(site, func() { site.Spec.Text = text })
}

// lacks fails the test if one of these objects exists.
func (c *custom) lacks(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		if c.Get(object) {
			c.t.Errorf("%s exists", object.GetName())
		}
	}
}

// beReady plays the kubelet: the Pod is ready.
func (c *custom) beReady(pod *corev1.Pod, status corev1.ConditionStatus) {
	c.t.Helper()
	c.UpdateStatus(pod, func() {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
	})
}

// customDesire returns a Sync that wants what fill adds.
func customDesire(fill func(*customRequest, *Desired)) customFunction {
	return func(_ context.Context, req *customRequest) (*Response, error) {
		want := new(Desired)
		fill(req, want)
		return &Response{Children: want, Status: &testapi.Status{Phase: "Synced"}}, nil
	}
}

const allReady = "every child is as desired and ready"

// expectValue reports whether a ConfigMap holds this value.
func expectValue(cluster *operatortest.Cluster, object *corev1.ConfigMap, value string) error {
	if cluster.Get(object); object.Data["key"] != value {
		return errors.New("it holds " + object.Data["key"])
	}
	return nil
}
