package operator_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// A tenant who writes a parent, and with it the metadata of a child, does not place the child
// in a namespace of others.
func TestTenantPlacesNoChildInAnotherNamespace(t *testing.T) {
	c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		where, name, _ := strings.Cut(req.Parent.Spec.Text, "/")
		switch {
		case strings.HasPrefix(name, "kept"):
			want.ConfigMaps.Keep(req.Parent.Spec.Text)
		case name != "":
			want.ConfigMaps.Add(distant(where, name, "one"))
		}
		want.Secrets.Add(named(&corev1.Secret{}, "harmless"))
	}), nil)
	other := c.elsewhere()
	site := c.site("web")
	refuses := func(key string) string {
		return fmt.Sprintf("ConfigMap %s lies outside of its parent's namespace: to allow that, add namespaces: [%s] or namespaces: Any to ConfigMap in operator.children of the spec file", key, other)
	}
	c.touch(site, other+"/stolen")
	c.says(site, refuses(other+"/stolen"))
	c.touch(site, other+"/kept")
	c.says(site, fmt.Sprintf("keep %q: %s", other+"/kept", refuses(other+"/kept")))
	c.lacks(distant(other, "stolen", ""))
	c.touch(site, c.Namespace+"/own")
	c.says(site, allReady)
	c.Exists(configMap("own", ""), named(&corev1.Secret{}, "harmless"))
}

// Whoever may create a ConfigMap somewhere cannot have Sync take it for a child of a parent in
// another namespace.
func TestSnapshotShowsNothingPlantedInAnotherNamespace(t *testing.T) {
	seen := make(chan string, 1000)
	c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		children := req.Children.ConfigMaps
		password, ok := children.Get("password")
		if !ok {
			password = configMap("password", "generated")
		}
		want.ConfigMaps.Add(password)
		want.ConfigMaps.Keep("a-" + req.Parent.Namespace + "/password") // the runtime is not to prune it here
		seen <- fmt.Sprintf("%s: %d, %v, %s", req.Parent.Spec.Text, children.Len(), children.Ready("password"), password.Data["key"])
	}), anywhere)
	site := c.site("web")
	c.says(site, allReady)
	attacker := named(&corev1.Namespace{}, "a-"+c.Namespace) // sorts before it
	c.Create(attacker)
	planted := distant(attacker.Name, "password", "attacker's")
	planted.Labels = map[string]string{c.group + "/site": string(site.UID)}
	planted.Annotations = map[string]string{c.group + "/parent": "Site.test.opgen.dev/" + c.Namespace + "/web"}
	c.Create(planted)
	c.Settled()
	c.touch(site, "attacked")
	for got := range seen {
		if strings.HasPrefix(got, "attacked") {
			if want := "attacked: 1, true, generated"; got != want {
				t.Errorf("Sync saw %s, want %s", got, want)
			}
			break
		}
	}
}

// An operator of one namespace has children in listed ones, with no permission but those of
// the two.
func TestChildrenInListedNamespacesOfANamespacedOperator(t *testing.T) {
	t.Parallel()
	user := "listed-" + strings.ToLower(t.Name()) + fmt.Sprint(os.Getpid())
	other := ""
	a := &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("here", req.Parent.Spec.Text))
		if req.Parent.Spec.Text != "here only" {
			want.ConfigMaps.Add(distant(other, "there", req.Parent.Spec.Text))
		}
		return &Response{Children: want}, nil
	}}
	a.alter = func(d *siteDefinition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			inNamespaces(all[:1], other)
			return all
		}
	}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		User:        user,
		Options:     func(o *operator.Options) { other = o.Namespaces[0] + "-other" },
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	f.Create(named(&corev1.Namespace{}, other))
	f.grant(user, f.Namespace, "", "test.opgen.dev", "events.k8s.io")
	f.grant(user, other, "")
	f.Create(f.site)
	here, there := configMap("here", ""), distant(other, "there", "")
	f.Exists(here, there)
	f.status("Ready", "Ready")

	f.Update(there, func() { there.Data["key"] = "drifted" })
	f.Eventually("drift in a listed namespace is repaired", func() error { return expectValue(f.Cluster, there, "hello") })
	f.Settled()
	f.Converged(f.site)
	f.Update(f.site, func() { f.site.Spec.Text = "here only" })
	f.Gone(there)
	f.Exists(here)
}

// grant gives a user all permissions that an operator needs in a namespace, for some groups.
func (f *fixture) grant(user, namespace string, groups ...string) {
	f.t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: user}
	f.Create(
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "create", "patch", "update", "delete"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
		},
	)
}

// The children of a cluster-scoped parent lie in the listed namespaces alone, and the operator
// watches no other.
func TestChildrenOfAClusterScopedParentInListedNamespaces(t *testing.T) {
	t.Parallel()
	group := strings.ToLower(t.Name())[:40] + ".test.opgen.dev"
	home := ""
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: realmsIn(group, &home, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
			want := new(realmDesired)
			want.ConfigMaps.Add(configMapIn(req.Parent.Spec.Text, "realm"))
			return &realmResponse{Children: want}, nil
		}),
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) { home, o.Namespaces = o.Namespaces[0], nil },
	})
	realm := &testapi.Realm{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: map[string]string{group: ""}}, Spec: testapi.Spec{Text: home}}
	cluster.Create(realm)
	cluster.Exists(configMapIn(home, "realm"))
	cluster.Update(realm, func() { realm.Spec.Text = "default" })
	cluster.Eventually("a child elsewhere is refused", func() error {
		if failed := cluster.Errors(realm); failed["InvalidChild"] == 0 {
			return fmt.Errorf("errors are %v", failed)
		}
		return nil
	})
	if cluster.Get(configMapIn("default", "realm")) {
		t.Error("a child was made outside of the listed namespaces")
	}
	for _, request := range cluster.Requests() {
		if request.Resource == "configmaps" && request.Namespace != home {
			t.Errorf("a request outside of the listed namespaces: %s", request)
		}
	}
}

// realmsIn is realmsOf for a controller whose ConfigMaps lie in one namespace.
func realmsIn(group string, home *string, sync func(context.Context, *realmRequest) (*realmResponse, error)) func(operator.Manager) ([]operator.Controller, error) {
	return func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{operator.NewController(operator.Definition[*testapi.Realm, struct{}, realmChildren, realmDesired, struct{}]{
			Name: "realm", Group: group, Schemes: runtime.SchemeBuilder{testapi.AddToScheme}, Sync: sync,
			Parents: []operator.ParentKind{{Object: &testapi.Realm{}, Labels: group}},
			Kinds: func(observed *realmChildren, desired *realmDesired) []operator.ChildKind {
				return []operator.ChildKind{{Object: &corev1.ConfigMap{}, Namespaces: []string{*home}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)}}
			},
		})}, nil
	}
}

// A name without a namespace finds no child of a cluster-scoped parent, and says so.
func TestNameWithoutANamespaceUnderAClusterScopedParentFails(t *testing.T) {
	t.Parallel()
	group := strings.ToLower(t.Name())[:40] + ".test.opgen.dev"
	home := ""
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: realmsIn(group, &home, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
			want := new(realmDesired)
			if _, ok := req.Children.ConfigMaps.Get(req.Parent.Spec.Text); !ok {
				want.ConfigMaps.Add(configMapIn(home, "realm"))
			}
			return &realmResponse{Children: want}, nil
		}),
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) { home, o.Namespaces = o.Namespaces[0], nil },
	})
	realm := &testapi.Realm{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: map[string]string{group: ""}}, Spec: testapi.Spec{Text: "realm"}}
	cluster.Create(realm)
	cluster.Eventually("Sync fails", func() error {
		if failed := cluster.Errors(realm); failed["SyncPanicked"] == 0 {
			return fmt.Errorf("errors are %v", failed)
		}
		return nil
	})
	cluster.Update(realm, func() { realm.Spec.Text = home + "/other" })
	cluster.Exists(configMapIn(home, "realm"))
}

// Somebody who may write in another namespace forges all marks, and the field manager too.
func TestObjectPlantedInAnotherNamespaceIsNoChild(t *testing.T) {
	c := startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("password", req.Parent.Spec.Text))
	}), nil)
	site := c.site("web")
	c.says(site, allReady)
	attacker := named(&corev1.Namespace{}, "a-"+c.Namespace)
	c.Create(attacker)
	annotated, referring := distant(attacker.Name, "password", "attacker's"), distant(attacker.Name, "referring", "attacker's")
	annotated.Labels = map[string]string{c.group + "/site": string(site.UID)}
	annotated.Annotations = map[string]string{c.group + "/parent": "Site.test.opgen.dev/" + c.Namespace + "/web"}
	referring.Labels = annotated.Labels
	referring.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(site, testapi.Version.WithKind("Site"))}
	c.makeAs("opgen/site."+c.group, annotated)
	c.makeAs("opgen/site."+c.group, referring)
	c.touch(site, "changed")
	c.says(site, allReady)
	c.Settled()
	c.Exists(annotated) // the garbage collector deletes the other
	if c.Get(site); len(site.Finalizers) > 0 {
		t.Errorf("the parent has the finalizers %v", site.Finalizers)
	}
}

// A release that forgets the namespaces of a kind sees none of the children there. A parent that is
// deleted before the next release allows them again has to wait for it.
func TestReleaseThatForgetsTheNamespacesOfAKindKeepsTheFinalizer(t *testing.T) {
	var other string
	isForgotten := false
	c := startCustomEverywhere(t, customDesire(func(_ *customRequest, want *Desired) {
		if other != "" {
			want.ConfigMaps.Add(distant(other, "far", ""))
		}
	}), func(d *definition) {
		if !isForgotten {
			anywhere(d)
		}
	})
	other = c.elsewhere()
	site, far := c.site("web"), distant(other, "far", "")
	c.Exists(far)
	c.says(site, allReady)
	isForgotten = true
	c.Restart()
	c.says(site, fmt.Sprintf("ConfigMap %s/far lies outside of its parent's namespace: to allow that, add namespaces: [%s] or namespaces: Any to ConfigMap in operator.children of the spec file", other, other))
	c.Settled()
	c.Stop()
	c.Delete(site)
	if !c.Get(site) {
		t.Error("the parent is gone, and has left a child behind")
	}
	isForgotten = false
	c.Restart()
	c.Gone(site, far)
}
