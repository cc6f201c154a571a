package operator_test

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestAChildComesAfterThoseThatItNeeds(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		database, settings := pod("database", "db:1"), configMap("settings", "one")
		if req.Parent.Spec.Text != "without the old" {
			want.Secrets.Add(named(&corev1.Secret{}, "old"))
		}
		want.ConfigMaps.Add(configMap("first", req.Parent.Spec.Text), operator.After(settings)) // added before what it needs
		want.ConfigMaps.Add(settings, operator.After(database))
		want.Pods.Add(database)
	}), nil)
	site, database := c.site("web"), named(&corev1.Pod{}, "database")

	c.Exists(database)
	c.says(site, "Pod database is not ready; ConfigMap settings waits for Pod "+c.Namespace+"/database; ConfigMap first waits for ConfigMap "+c.Namespace+"/settings")
	c.lacks(configMap("settings", ""), configMap("first", ""))

	c.touch(site, "without the old")
	c.Settled()
	if !c.Get(named(&corev1.Secret{}, "old")) {
		t.Error("a child was pruned while another waited")
	}

	c.beReady(database, corev1.ConditionTrue)
	c.Exists(configMap("settings", ""), configMap("first", ""))
	c.Gone(named(&corev1.Secret{}, "old"))
	c.says(site, allReady)

	// What waits is not changed either.
	c.beReady(database, corev1.ConditionFalse)
	c.Settled() // with that in the cache
	c.touch(site, "changed")
	c.says(site, "Pod database is not ready; ConfigMap settings waits for Pod "+c.Namespace+"/database; ConfigMap first waits for ConfigMap "+c.Namespace+"/settings")
	first := configMap("first", "")
	if c.Get(first); first.Data["key"] != "without the old" {
		t.Errorf("a child that waits was changed to %v", first.Data)
	}
	c.Settled()
}

func TestAChildThatComesAfterItselfOrNothingIsNamed(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		first, second := configMap("first", ""), configMap("second", "")
		want.ConfigMaps.Add(first, operator.After(second))
		if req.Parent.Spec.Text == "circle" {
			want.ConfigMaps.Add(second, operator.After(first))
		}
	}), nil)
	site := c.site("web")
	c.says(site, "ConfigMap "+c.Namespace+"/first comes after ConfigMap "+c.Namespace+"/second, which is not desired")
	c.touch(site, "circle")
	c.says(site, "ConfigMap "+c.Namespace+"/first is part of a dependency cycle")
	c.lacks(configMap("first", ""), configMap("second", ""))
}

func TestReadyWhenDecidesAboutHealth(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		lock := configMap("lock", "")
		want.ConfigMaps.Add(lock)
		want.Secrets.Add(named(&corev1.Secret{}, "secret"), operator.After(lock))
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[0].ReadyWhen = isOpen
			return described
		}
	})
	site, lock := c.site("web"), configMap("lock", "")
	c.says(site, "ConfigMap lock is not ready; Secret secret waits for ConfigMap "+c.Namespace+"/lock")
	c.Update(lock, func() { metav1.SetMetaDataAnnotation(&lock.ObjectMeta, "open", "yes") })
	c.Exists(named(&corev1.Secret{}, "secret"))
	c.says(site, allReady)
}

func TestSnapshotsKnowWhatTheAuthorCallsReady(t *testing.T) {
	seen := make(chan bool, 100)
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		if req.Children.ConfigMaps.Len() > 0 {
			seen <- req.Children.ConfigMaps.In(req.Parent.Namespace).Ready("web")
		}
		want := new(Desired)
		want.ConfigMaps.Add(configMap("web", req.Parent.Spec.Text))
		return &Response{Children: want}, nil
	}, func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[0].ReadyWhen = func(object client.Object) (bool, error) {
				return object.(*corev1.ConfigMap).Data["key"] == "up", nil
			}
			return described
		}
	})
	site := c.site("web")
	if <-seen {
		t.Error("a child that is not ready yet is ready in the snapshot")
	}
	c.touch(site, "up")
	c.Eventually("the snapshot says that it is ready", func() error {
		select {
		case ready := <-seen:
			if ready {
				return nil
			}
		default:
		}
		return errors.New("it does not")
	})
}
