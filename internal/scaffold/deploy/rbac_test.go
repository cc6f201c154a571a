package deploy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

var (
	// always are the rights of every operator in its own namespace, metrics those that its metrics
	// endpoint needs.
	always  = []string{"coordination.k8s.io/leases: create", "coordination.k8s.io/leases[cup.demo.example.com-prunes echo]: get update"}
	metrics = []string{
		"authentication.k8s.io/tokenreviews: create",
		"authorization.k8s.io/subjectaccessreviews: create",
	}
	events = "events.k8s.io/events: create patch"
)

func TestRoleHoldsWhatTheSpecImplies(t *testing.T) {
	echo := func(change func(*Kind)) []Kind {
		k := Kind{Group: "demo.example.com", Plural: "echoservers"}
		change(&k)
		return []Kind{k}
	}
	// patch takes finalizers off parents that an earlier spec gave them.
	const parents = "demo.example.com/echoservers: get list watch patch"
	tests := map[string]struct {
		kinds []Kind
		want  []string // beside always and metrics
		// everywhere are rights that no Role can give.
		everywhere []string
	}{
		"no kind": {},
		"a kind without status and children": {
			kinds: echo(func(*Kind) {}),
			want:  []string{parents, events},
		},
		"status": {
			kinds: echo(func(k *Kind) { k.HasStatus = true }),
			want:  []string{parents, "demo.example.com/echoservers/status: patch", events},
		},
		"children": {
			kinds: echo(func(k *Kind) {
				k.Children = []kinds.Child{
					{Resource: kinds.Resource{Plural: "services"}},
					{Resource: kinds.Resource{Plural: "pods"}},
					{Resource: kinds.Resource{Group: "batch", Plural: "jobs"}, Spec: spec.Child{PruneOnly: true}},
				}
			}),
			want: []string{
				"/pods services: get list watch create patch delete",
				"batch/jobs: get list watch patch delete",
				parents,
				"demo.example.com/echoservers/finalizers: update",
				events,
			},
		},
		"children that no deletion of their parent may keep": {
			kinds: echo(func(k *Kind) {
				k.Children = []kinds.Child{{Resource: kinds.Resource{Plural: "pods", Namespaced: true}, Spec: spec.Child{Update: spec.CreateOnly, WhenDropped: spec.Orphan, ForbidDisconnect: true}}}
			}),
			want: []string{
				"/pods: get list watch create patch delete",
				parents,
				events,
			},
		},
		"children that go in an order, and claims that the operator never deletes": {
			kinds: echo(func(k *Kind) {
				keep := spec.Child{Update: spec.CreateOnly, WhenDropped: spec.Orphan, WhenDeleted: spec.Orphan}
				k.Unreferenced = true
				k.Children = []kinds.Child{
					{Resource: kinds.Resource{Plural: "pods"}, Spec: spec.Child{Update: spec.CreateOnly, WhenDropped: spec.Orphan}},
					{Resource: kinds.Resource{Plural: "persistentvolumeclaims"}, Spec: keep},
				}
			}),
			want: []string{
				"/persistentvolumeclaims: get list watch create patch",
				"/pods: get list watch create patch delete",
				parents,
				events,
			},
		},
		"claims that carry an owner reference, which only who may delete them takes away": {
			kinds: echo(func(k *Kind) {
				keep := spec.Child{Update: spec.CreateOnly, WhenDropped: spec.Orphan, WhenDeleted: spec.Orphan}
				k.Children = []kinds.Child{{Resource: kinds.Resource{Plural: "persistentvolumeclaims"}, Spec: keep}}
			}),
			want: []string{
				"/persistentvolumeclaims: get list watch create patch delete",
				parents,
				"demo.example.com/echoservers/finalizers: update",
				events,
			},
		},
		"a cluster-scoped child of a parent in a namespace, which can refer to no such owner": {
			kinds: echo(func(k *Kind) {
				k.Namespaced = true
				k.Children = []kinds.Child{{Resource: kinds.Resource{Plural: "namespaces"}}}
			}),
			want: []string{"/namespaces: get list watch create patch delete", parents, events},
		},
		"Pods that are evicted": {
			kinds: echo(func(k *Kind) {
				k.Children = []kinds.Child{{Resource: kinds.Resource{Plural: "pods"}, Spec: spec.Child{Evict: true}}}
			}),
			want: []string{
				"/pods: get list watch create patch delete",
				"/pods/eviction: create",
				parents,
				"demo.example.com/echoservers/finalizers: update",
				events,
			},
		},
		"rules of the author's": {
			kinds: echo(func(k *Kind) {
				k.Children = []kinds.Child{{Resource: kinds.Resource{Plural: "secrets"}}}
				k.Rules = []spec.PolicyRule{
					{APIGroups: []string{""}, Resources: []string{"secrets", "nodes"}, Verbs: []string{"update", "get"}},
					{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"b", "a"}, Verbs: []string{"get"}},
					{NonResourceURLs: []string{"/healthz"}, Verbs: []string{"get"}},
				}
			}),
			want: []string{
				"/configmaps[a b]: get",
				"/nodes: get update",
				"/secrets: get list watch create update patch delete",
				parents,
				"demo.example.com/echoservers/finalizers: update",
				events,
			},
			everywhere: []string{"/healthz: get"},
		},
		"related objects, one kind of which is a child too": {
			kinds: echo(func(k *Kind) {
				k.Children = []kinds.Child{{Resource: kinds.Resource{Plural: "pods"}}}
				k.Related = []kinds.Related{{Resource: kinds.Resource{Plural: "pods"}}, {Resource: kinds.Resource{Plural: "configmaps"}}, {Resource: kinds.Resource{Plural: "configmaps"}}, {Resource: kinds.Resource{Group: "apps", Plural: "deployments"}}}
			}),
			want: []string{
				"/configmaps: list watch",
				"/pods: get list watch create patch delete",
				"apps/deployments: list watch",
				parents,
				"demo.example.com/echoservers/finalizers: update",
				events,
			},
		},
		"related objects of a fixed name, and of any": {
			kinds: echo(func(k *Kind) {
				entry := func(plural string, r spec.Related) kinds.Related {
					return kinds.Related{Resource: kinds.Resource{Plural: plural}, Spec: r}
				}
				k.Related = []kinds.Related{
					entry("configmaps", spec.Related{Name: "settings"}),
					entry("configmaps", spec.Related{Name: "rates"}),
					entry("endpoints", spec.Related{NameFrom: ".spec.endpoints", Access: spec.AccessGet}),
					entry("pods", spec.Related{Name: "first"}),
					entry("pods", spec.Related{Selector: "app=web"}),
					entry("secrets", spec.Related{Name: "password", Access: spec.AccessGet}),
					entry("services", spec.Related{Name: "web"}),
					entry("services", spec.Related{Dynamic: true, Access: spec.AccessGet}),
					entry("replicationcontrollers", spec.Related{Selector: "app=web", Delete: true}),
					entry("leases", spec.Related{Name: "old", Access: spec.AccessGet, Delete: true}),
				}
			}),
			want: []string{
				"/configmaps[rates]: list watch",
				"/configmaps[settings]: list watch",
				"/endpoints services: get",
				"/leases[old]: get delete",
				"/pods: list watch",
				"/replicationcontrollers: get list watch delete",
				"/secrets[password]: get",
				"/services[web]: list watch",
				parents,
				events,
			},
		},
		"related objects that are read one by one, and others": {
			kinds: echo(func(k *Kind) {
				entry := func(plural string, r spec.Related) kinds.Related {
					return kinds.Related{Resource: kinds.Resource{Plural: plural}, Spec: r}
				}
				k.Related = []kinds.Related{
					entry("configmaps", spec.Related{NameFrom: ".spec.settings"}),
					entry("endpoints", spec.Related{NameFrom: ".spec.settings", Cache: spec.CacheMetadata}),
					entry("nodes", spec.Related{Match: map[string]string{".spec.a": ".spec.b"}}),
					entry("pods", spec.Related{SelectorFrom: ".spec.selector"}),
					entry("secrets", spec.Related{Dynamic: true}),
					entry("services", spec.Related{Name: "web", Patch: true}),
				}
			}),
			want: []string{
				"/configmaps pods secrets: get list watch",
				"/endpoints nodes: list watch",
				"/services[web]: get list watch patch",
				parents,
				events,
			},
		},
		"two kinds with the same child": {
			kinds: []Kind{
				{Group: "b.example.com", Plural: "bs", Children: []kinds.Child{{Resource: kinds.Resource{Plural: "pods"}}}},
				{Group: "a.example.com", Plural: "as", Children: []kinds.Child{{Resource: kinds.Resource{Plural: "pods"}}}},
			},
			want: []string{
				"/pods: get list watch create patch delete",
				"a.example.com/as: get list watch patch",
				"a.example.com/as/finalizers: update",
				"b.example.com/bs: get list watch patch",
				"b.example.com/bs/finalizers: update",
				events,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, own := roles(t, Operator{Name: "echo", Watch: spec.WatchCluster, Kinds: test.kinds, Controllers: []Controller{{"cup", "demo.example.com"}}})
			if diff := cmp.Diff(set(metrics, test.want, test.everywhere), set(cluster)); diff != "" {
				t.Errorf("ClusterRole (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(set(always), set(own)); diff != "" {
				t.Errorf("Role (-want +got):\n%s", diff)
			}

			cluster, own = roles(t, Operator{Name: "echo", Watch: spec.WatchNamespace, Kinds: test.kinds, Controllers: []Controller{{"cup", "demo.example.com"}}})
			if diff := cmp.Diff(set(metrics, test.everywhere), set(cluster)); diff != "" {
				t.Errorf("watching a namespace: ClusterRole (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(set(always, []string{events}, test.want), set(own)); diff != "" {
				t.Errorf("watching a namespace: Role (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRolesForChildrenInListedNamespaces(t *testing.T) {
	child := func(plural string, namespaces ...string) kinds.Child {
		return kinds.Child{Resource: kinds.Resource{Plural: plural}, Spec: spec.Child{Namespaces: namespaces}}
	}
	children := []kinds.Child{child("secrets", "infra", "echo-system"), child("configmaps", spec.AllNamespaces), child("pods")}
	const verbs = ": get list watch create patch delete"
	for name, test := range map[string]struct {
		watch      spec.Watch
		namespaced bool
		want       map[string]string // the rules for children, by namespace
	}{
		"parents in any namespace": {spec.WatchCluster, true, map[string]string{"": "/configmaps pods secrets" + verbs}},
		"parents in no namespace":  {spec.WatchCluster, false, map[string]string{"": "/configmaps pods" + verbs, "infra": "/secrets" + verbs, "echo-system": "/secrets" + verbs}},
		"parents in one namespace": {spec.WatchNamespace, true, map[string]string{"infra": "/secrets" + verbs, "echo-system": "/configmaps pods secrets" + verbs}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Operator{Name: "echo", Watch: test.watch, Kinds: []Kind{{Group: "demo.example.com", Plural: "echoservers", Namespaced: test.namespaced, Children: children}}}
			got := map[string]string{}
			for _, object := range o.RBACObjects() {
				var rules []rbacv1.PolicyRule
				switch role := object.(type) {
				case *rbacv1.ClusterRole:
					rules = role.Rules
				case *rbacv1.Role:
					rules = role.Rules
				}
				for _, line := range lines(rules) {
					if strings.HasSuffix(line, verbs) {
						got[object.(metav1.Object).GetNamespace()] += line
					}
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRoleDoesNotDependOnTheOrderOfTheSpec(t *testing.T) {
	a := Kind{Group: "a.example.com", Plural: "as", Children: []kinds.Child{{Resource: kinds.Resource{Plural: "pods"}}, {Resource: kinds.Resource{Plural: "services"}}}}
	b := Kind{Group: "b.example.com", Plural: "bs", Children: []kinds.Child{{Resource: kinds.Resource{Plural: "services"}}, {Resource: kinds.Resource{Plural: "pods"}}}}
	one, err := Marshal(Operator{Name: "echo", Kinds: []Kind{a, b}}.RBACObjects()...)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Marshal(Operator{Name: "echo", Kinds: []Kind{b, a}}.RBACObjects()...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(one), string(other)); diff != "" {
		t.Errorf("(-one +other):\n%s", diff)
	}
}

// roles returns the rules of the ClusterRole and of the Role, one line for each group.
func roles(t *testing.T, o Operator) (cluster, own []string) {
	t.Helper()
	for _, object := range o.RBACObjects() {
		switch role := object.(type) {
		case *rbacv1.ClusterRole:
			cluster = lines(role.Rules)
		case *rbacv1.Role:
			own = lines(role.Rules)
		}
	}
	return cluster, own
}

func lines(rules []rbacv1.PolicyRule) []string {
	var all []string
	for _, r := range rules {
		what := strings.Join(r.Resources, " ")
		if len(r.ResourceNames) > 0 {
			what += "[" + strings.Join(r.ResourceNames, " ") + "]"
		}
		verbs := ": " + strings.Join(r.Verbs, " ")
		for _, group := range r.APIGroups {
			all = append(all, group+"/"+what+verbs)
		}
		if len(r.NonResourceURLs) > 0 {
			all = append(all, strings.Join(r.NonResourceURLs, " ")+verbs)
		}
	}
	return all
}

func set(lists ...[]string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, line := range list {
			all[line] = true
		}
	}
	return all
}

func TestRulesOfTheAuthorsCode(t *testing.T) {
	o := Operator{Name: "echo", Watch: spec.WatchCluster, Rules: []spec.PolicyRule{
		{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"patch", "get", "list"}},
		{APIGroups: []string{"batch", "extensions"}, Resources: []string{"jobs"}, Verbs: []string{"list"}},
		{APIGroups: []string{"extensions", "batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}},
		{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: []string{"get", "*", "watch"}},
		{APIGroups: []string{"example.com"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}},
		{APIGroups: []string{"example.com"}, Resources: []string{"things"}, Verbs: []string{"list"}},
		{APIGroups: []string{"example.com"}, Resources: []string{"others"}, Verbs: []string{"list", "create"}},
		{APIGroups: []string{"example.com"}, Resources: []string{"things"}, ResourceNames: []string{"a"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}, Namespace: "infra"},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}, Namespace: "echo-system"},
		{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get"}, Namespace: "infra", RoleName: "reader"},
		{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get"}, RoleName: "node-reader"},
	}}
	want := map[string][]string{
		"ClusterRole /echo-controller-manager": append(slices.Clone(metrics),
			"apps/deployments: get list patch", "batch/jobs: get list", "extensions/jobs: get list", "example.com/*: get list", "example.com/others: list create",
			"policy/poddisruptionbudgets: *"),
		"ClusterRoleBinding /echo-controller-manager":     {"ClusterRole echo-controller-manager"},
		"ClusterRole /node-reader":                        {"/nodes: get"},
		"Role echo-system/echo-controller-manager":        {"/pods: get", "coordination.k8s.io/leases: create", "coordination.k8s.io/leases[echo]: get update"},
		"RoleBinding echo-system/echo-controller-manager": {"Role echo-controller-manager"},
		"Role infra/echo-controller-manager":              {"/secrets: get"},
		"RoleBinding infra/echo-controller-manager":       {"Role echo-controller-manager"},
		"Role infra/reader":                               {"/services: get"},
	}
	got := map[string][]string{}
	for _, object := range o.RBACObjects() {
		switch role := object.(type) {
		case *rbacv1.ClusterRole:
			if rules := len(role.Rules); role.Name == "echo-controller-manager" && rules != 7 {
				t.Errorf("%d rules, want 7, since two groups share one: %v", rules, role.Rules)
			}
			got["ClusterRole /"+role.Name] = lines(role.Rules)
		case *rbacv1.Role:
			got["Role "+role.Namespace+"/"+role.Name] = lines(role.Rules)
		case *rbacv1.ClusterRoleBinding:
			got["ClusterRoleBinding /"+role.Name] = []string{role.RoleRef.Kind + " " + role.RoleRef.Name}
		case *rbacv1.RoleBinding:
			got["RoleBinding "+role.Namespace+"/"+role.Name] = []string{role.RoleRef.Kind + " " + role.RoleRef.Name}
		}
	}
	for _, lines := range []map[string][]string{want, got} {
		for _, list := range lines {
			slices.Sort(list)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
