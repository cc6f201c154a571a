package operator_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	decoratorChildren struct {
		Secrets operator.Snapshot[*corev1.Secret]
	}
	decoratorDesired struct {
		Secrets operator.DesiredSet[*corev1.Secret]
	}
	decoratorRequest  = operator.Request[client.Object, decoratorChildren, struct{}]
	decoratorResponse = operator.Response[decoratorDesired, struct{}]
	decorator         = operator.Definition[client.Object, struct{}, decoratorChildren, decoratorDesired, struct{}]
)

// startDecorator runs a controller of ConfigMaps and Services: it makes a Secret
// beside each, and labels it.
func startDecorator(t *testing.T, parents []operator.ParentKind, change func(*decorator)) *operatortest.Cluster {
	t.Helper()
	t.Parallel()
	return operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			d := decorator{
				Name:    "decorator",
				Group:   "decorator.test.opgen.dev",
				Parents: parents,
				Kinds: func(observed *decoratorChildren, desired *decoratorDesired) []operator.ChildKind {
					return []operator.ChildKind{{Object: &corev1.Secret{}, Fields: operator.Bind(&observed.Secrets, &desired.Secrets)}}
				},
				ParentMetadata: true,
				Sync: func(_ context.Context, req *decoratorRequest) (*decoratorResponse, error) {
					want, prefix := new(decoratorDesired), "config-"
					if _, ok := req.Parent.(*corev1.Service); ok {
						prefix = "service-"
					}
					want.Secrets.Add(named(&corev1.Secret{}, prefix+req.Parent.GetName()))
					return &decoratorResponse{Children: want, Labels: map[string]string{"decorated": "yes"}}, nil
				},
			}
			if change != nil {
				change(&d)
			}
			return []operator.Controller{operator.NewController(d)}, nil
		},
	})
}

func decorated(t *testing.T, cluster *operatortest.Cluster, object client.Object, expected bool) {
	t.Helper()
	cluster.Eventually(object.GetName()+" is decorated or not", func() error {
		if cluster.Get(object); (object.GetLabels()["decorated"] == "yes") != expected {
			return errors.New("it has the wrong labels")
		}
		return nil
	})
}

func TestOneSyncServesSeveralKindsOfParents(t *testing.T) {
	cluster := startDecorator(t, []operator.ParentKind{
		{Object: &corev1.ConfigMap{}, Labels: "decorate"},
		{Object: &corev1.Service{}, Annotations: "decorate=yes,!plain"},
	}, nil)
	config, plain := configMap("web", ""), configMap("plain", "")
	config.Labels = map[string]string{"decorate": ""}
	web, other := service("web"), service("other")
	web.Annotations = map[string]string{"decorate": "yes"}
	other.Annotations = map[string]string{"decorate": "yes", "plain": ""}
	cluster.Create(config, plain, web, other)
	ofConfig, ofService := named(&corev1.Secret{}, "config-web"), named(&corev1.Secret{}, "service-web")
	cluster.Exists(ofConfig, ofService)
	decorated(t, cluster, config, true)
	decorated(t, cluster, web, true)
	cluster.Settled()
	for _, absent := range []string{"config-plain", "service-other"} {
		if cluster.Get(named(&corev1.Secret{}, absent)) {
			t.Errorf("%s exists, though its parent is not selected", absent)
		}
	}
	if cluster.Get(config); len(config.Finalizers) > 0 {
		t.Errorf("finalizers %v on a parent that needs none", config.Finalizers)
	}
	if requests := len(cluster.Requests()); requests != 4 {
		t.Errorf("%d requests, want one for each child and for each parent's label: %v", requests, cluster.Requests())
	}

	// Each child follows its own parent.
	cluster.Delete(ofService)
	cluster.Gone(ofService)
	cluster.Exists(ofService)
	cluster.Delete(config)
	cluster.Gone(ofConfig)
	cluster.Settled()
}

func TestAParentThatOptsOutLosesItsChildrenAndMarks(t *testing.T) {
	cluster := startDecorator(t, []operator.ParentKind{{Object: &corev1.ConfigMap{}, Labels: "decorate"}}, nil)
	for _, restarts := range []bool{false, true} {
		name := map[bool]string{false: "running", true: "stopped"}[restarts]
		config, child := configMap(name, ""), named(&corev1.Secret{}, "config-"+name)
		config.Labels = map[string]string{"decorate": ""}
		cluster.Create(config)
		cluster.Exists(child)
		decorated(t, cluster, config, true)
		if restarts {
			cluster.Stop()
		}
		cluster.Update(config, func() { delete(config.Labels, "decorate") })
		if restarts {
			cluster.Restart()
		}
		cluster.Gone(child)
		decorated(t, cluster, config, false)
		cluster.Settled()
	}
}

func TestAParentThatOptsOutIsFinalizedWithItsContent(t *testing.T) {
	finalized := make(chan string, 10)
	cluster := startDecorator(t, []operator.ParentKind{{Object: &corev1.ConfigMap{}, Labels: "decorate"}}, func(d *decorator) {
		d.Finalize = func(_ context.Context, req *decoratorRequest) (*decoratorResponse, error) {
			finalized <- req.Parent.(*corev1.ConfigMap).Data["key"]
			return &decoratorResponse{Finalized: true}, nil
		}
	})
	config, child := configMap("web", "content"), named(&corev1.Secret{}, "config-web")
	cluster.Create(config) // it is no parent yet
	for _, restarts := range []bool{false, true} {
		cluster.Update(config, func() { metav1.SetMetaDataLabel(&config.ObjectMeta, "decorate", "") })
		cluster.Exists(child)
		cluster.Settled()
		if restarts {
			cluster.Stop()
		}
		cluster.Update(config, func() { delete(config.Labels, "decorate") })
		if restarts {
			cluster.Restart()
		}
		cluster.Gone(child)
		cluster.Eventually("the finalizer is taken off", func() error {
			if cluster.Get(config); len(config.Finalizers) > 0 {
				return errors.New("it is there")
			}
			return nil
		})
		if content := <-finalized; content != "content" {
			t.Errorf("Finalize saw the content %q", content)
		}
		cluster.Settled()
	}
	cluster.Update(config, func() { metav1.SetMetaDataLabel(&config.ObjectMeta, "decorate", "") })
	cluster.Exists(child)
	cluster.Settled()
}

func TestAParentThatCameBackIsFinalizedAgain(t *testing.T) {
	var finalized atomic.Int32
	cluster := startDecorator(t, []operator.ParentKind{{Object: &corev1.ConfigMap{}, Labels: "decorate"}}, func(d *decorator) {
		d.Finalize = func(context.Context, *decoratorRequest) (*decoratorResponse, error) {
			finalized.Add(1)
			return &decoratorResponse{Finalized: true}, nil
		}
		d.Teardown = operator.TeardownOrdered
	})
	config, child := configMap("web", ""), named(&corev1.Secret{}, "config-web")
	config.Labels = map[string]string{"decorate": ""}
	cluster.Create(config)
	cluster.Exists(child)
	cluster.Update(child, func() { child.Finalizers = []string{foreignFinalizer} })
	cluster.Update(config, func() { delete(config.Labels, "decorate") })
	cluster.Eventually("its child is being deleted", func() error {
		if cluster.Get(child); child.DeletionTimestamp == nil {
			return errors.New("it is not")
		}
		return nil
	})
	cluster.Update(config, func() { metav1.SetMetaDataLabel(&config.ObjectMeta, "decorate", "") })
	cluster.Settled()
	before := child.UID
	cluster.Update(child, func() { child.Finalizers = nil })
	cluster.Eventually("its child is recreated", func() error {
		if cluster.Get(child); child.UID == before {
			return errors.New("it is the old one")
		}
		return nil
	})
	cluster.Delete(config)
	cluster.Gone(config, child)
	if got := finalized.Load(); got != 2 {
		t.Errorf("Finalize ran %d times, want once for each end", got)
	}
}

func TestAParentThatOptedOutWhilePausedLosesItsChildrenAfterwards(t *testing.T) {
	cluster := startDecorator(t, []operator.ParentKind{{Object: &corev1.ConfigMap{}, Labels: "decorate"}}, nil)
	config, child := configMap("web", ""), named(&corev1.Secret{}, "config-web")
	config.Labels = map[string]string{"decorate": ""}
	cluster.Create(config)
	cluster.Exists(child)
	cluster.Settled()
	const paused = "decorator.test.opgen.dev/paused"
	cluster.Update(config, func() { metav1.SetMetaDataAnnotation(&config.ObjectMeta, paused, "true") })
	cluster.Update(config, func() { delete(config.Labels, "decorate") })
	cluster.Settled()
	if !cluster.Get(child) {
		t.Error("the child of a paused parent was deleted")
	}
	cluster.Update(config, func() { delete(config.Annotations, paused) })
	cluster.Gone(child)
	decorated(t, cluster, config, false)
}
