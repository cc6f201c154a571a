package spec

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const controllerHead = "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Echo}\nversions: [{name: v1}]\n"

func TestOperatorIsReadWhole(t *testing.T) {
	api := mustParse(t, controllerHead+`operator:
  finalize: true
  teardown: ordered
  retries: 10
  timeout: 1m30s
  allowPause: false
  allowDisconnect: false
  takeOverFrom: [memcached-manager, manager]
  children:
  - {apiVersion: v1, kind: Pod, update: RollingRecreate, adopt: IfUnowned, whenDropped: Orphan, readyWhen: "self.status.phase == 'Running'"}
  - {apiVersion: v1, kind: Service, whenDeleted: Orphan, whenImmutable: Recreate, whenRecreated: OrphanDependents, cache: metadata, namespaces: [infra, other]}
  - {apiVersion: v1, kind: Secret, namespaces: Any, allowDisconnect: false}
  related:
  - {apiVersion: v1, kind: ConfigMap, as: Settings, nameFrom: .spec.configMapName, namespaces: Parent}
  - {apiVersion: v1, kind: ConfigMap, name: defaults, namespaces: [kube-system, other]}
  - {apiVersion: v1, kind: Namespace, selectorFrom: .spec.namespaceSelector, dynamic: false}
  - {apiVersion: v1, kind: Pod, selector: "app=web,tier in (b, a),!old", namespaces: All}
  - apiVersion: apps/v1
    kind: Deployment
    selector:
      matchLabels: {app: web}
      matchExpressions: [{key: tier, operator: In, values: [b, a]}, {key: old, operator: DoesNotExist}]
    namespaces: .spec.namespaces
  - {apiVersion: v1, kind: Secret, dynamic: true, cache: metadata}
  - {apiVersion: example.org/v1, kind: Widget, plural: widgets, scope: Cluster, goType: example.org/w/v1.Widget}
`)
	want := &Operator{
		Finalize: true, Teardown: TeardownOrdered, Retries: 10, Timeout: 90 * time.Second, ForbidPause: true, ForbidDisconnect: true,
		TakeOverFrom: []string{"memcached-manager", "manager"},
		Children: []Child{
			childOf(Resource{APIVersion: "v1", Kind: "Pod", As: "Pods"}, func(c *Child) {
				c.Update, c.Adopt, c.WhenDropped, c.ReadyWhen.Text = RollingRecreate, AdoptIfUnowned, Orphan, "self.status.phase == 'Running'"
			}),
			childOf(Resource{APIVersion: "v1", Kind: "Service", As: "Services"}, func(c *Child) {
				c.WhenDeleted, c.WhenImmutable, c.WhenRecreated, c.Cache = Orphan, RecreateIfImmutable, OrphanDependents, CacheMetadata
				c.Namespaces = []string{"infra", "other"}
			}),
			childOf(Resource{APIVersion: "v1", Kind: "Secret", As: "Secrets"}, func(c *Child) { c.Namespaces, c.ForbidDisconnect = []string{AllNamespaces}, true }),
		},
		Related: []Related{
			{Resource: Resource{APIVersion: "v1", Kind: "ConfigMap", As: "Settings"}, NameFrom: ".spec.configMapName"},
			{Resource: Resource{APIVersion: "v1", Kind: "ConfigMap", As: "ConfigMaps"}, Name: "defaults", Namespaces: []string{"kube-system", "other"}},
			{Resource: Resource{APIVersion: "v1", Kind: "Namespace", As: "Namespaces"}, SelectorFrom: ".spec.namespaceSelector"},
			{Resource: Resource{APIVersion: "v1", Kind: "Pod", As: "Pods"}, Selector: "app=web,!old,tier in (a,b)", Namespaces: []string{AllNamespaces}},
			{Resource: Resource{APIVersion: "apps/v1", Kind: "Deployment", As: "Deployments"}, Selector: "app=web,!old,tier in (a,b)", NamespacesFrom: ".spec.namespaces"},
			{Resource: Resource{APIVersion: "v1", Kind: "Secret", As: "Secrets"}, Dynamic: true, Cache: CacheMetadata},
			{Resource: Resource{
				APIVersion: "example.org/v1", Kind: "Widget", As: "Widgets",
				Plural: "widgets", Scope: Cluster, GoType: "example.org/w/v1.Widget",
			}},
		},
	}
	for i := range want.Related {
		if want.Related[i].Cache == "" {
			want.Related[i].Cache = CacheFull
		}
		want.Related[i].Access = AccessWatch
	}
	if diff := cmp.Diff(want, api.Operator, cmpopts.IgnoreTypes(Pos{}), cmpopts.IgnoreFields(Expression{}, "Columns")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestExpressionKnowsItsColumns(t *testing.T) {
	api := mustParse(t, controllerHead+"operator: {children: [{apiVersion: v1, kind: Pod, readyWhen: 'self.a == ''é'' && b'}]}\n")
	rule := api.Operator.Children[0].ReadyWhen
	if got, want := rule.At(len("self.a == 'é' && ")).Column, rule.Pos.Column+len("'self.a == ''e'' && "); got != want {
		t.Errorf("column %d, want %d", got, want)
	}
	if got := rule.At(1000); got != rule.Pos {
		t.Errorf("beyond the end: %v, want %v", got, rule.Pos)
	}
}

// childOf is a child with the defaults of a file that says no more of it, and changes to them.
func childOf(r Resource, changes ...func(*Child)) Child {
	c := Child{
		Resource: r, Update: InPlace, Adopt: AdoptNever, WhenDropped: Delete, WhenDeleted: Delete,
		WhenImmutable: FailIfImmutable, WhenRecreated: DeleteDependents, Cache: CacheFull,
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}
