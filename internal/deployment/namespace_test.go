package deployment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const realmObjects = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: realms.NAME.example.com}
spec:
  group: NAME.example.com
  names: {kind: Realm, plural: realms}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: NAME.example.com/v1
kind: Realm
metadata: {name: prod}`

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: NAME}
data: {key: value}`

const secret = `apiVersion: v1
kind: Secret
metadata: {name: NAME}
stringData: {password: value}`

const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`

// people are who makes objects beside opgen, in the namespace of a test.
type people struct {
	*testing.T
	*Cluster
	namespace string
}

// create creates an object of a manifest, with owners of which the first is its controller.
func (p people) create(manifest, name string, owners ...*Object) *Object {
	p.Helper()
	object := parse(p.T, name, manifest)[0]
	object.SetNamespace(p.namespace)
	var references []metav1.OwnerReference
	for i, owner := range owners {
		references = append(references, metav1.OwnerReference{
			APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(), Controller: new(i == 0),
		})
	}
	object.SetOwnerReferences(references)
	client, err := p.access(object)
	if err != nil {
		p.Fatal(err)
	}
	made, err := client.Create(p.Context(), object, metav1.CreateOptions{})
	if err != nil {
		p.Fatal(err)
	}
	return made
}

func (p people) read(o *Object) *Object {
	p.Helper()
	client, err := p.access(o)
	if err != nil {
		p.Fatal(err)
	}
	live, err := client.Get(p.Context(), o.GetName(), metav1.GetOptions{})
	if err != nil {
		p.Fatal(err)
	}
	return live
}

// unknownOwner is an owner that does not exist, of a kind that the garbage collector does not know.
func unknownOwner() *Object {
	owner := new(Object)
	owner.SetAPIVersion("absent.example.com/v1")
	owner.SetKind("Nothing")
	owner.SetName("nobody")
	owner.SetUID("00000000-0000-0000-0000-000000000000")
	return owner
}

// An object goes with the operator's namespace only if everything that owns it goes.
func TestRemoveKeepsWhatNothingElseCollects(t *testing.T) {
	for name, test := range map[string]struct {
		make     func(p people, account, realm *Object) // beside the planned ServiceAccount
		expected string
	}{
		"parent": {func(p people, _, realm *Object) {
			p.create(secret, "root-password", realm)
		}, "kept: it has Secret root-password"},
		"claim": {func(p people, _, realm *Object) {
			p.create(claim, "data", realm)
		}, "kept: it has PersistentVolumeClaim data"},
		"unknown": {func(p people, _, _ *Object) {
			p.create(secret, "restored", unknownOwner())
		}, "kept: it has Secret restored"},
		"stays": {func(p people, _, _ *Object) {
			theirs := p.create(configMap, "theirs")
			p.create(secret, "of-theirs", theirs)
		}, "kept: it has ConfigMap theirs, Secret of-theirs"},
		"shared": {func(p people, account, realm *Object) {
			p.create(secret, "shared", account, realm)
		}, "kept: it has Secret shared"},
		"cycle": {func(p people, _, _ *Object) {
			a := p.create(configMap, "a")
			b := p.create(configMap, "b", a)
			patch := fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":%q,"controller":true}]}}`, b.GetUID())
			client, err := p.access(a)
			if err != nil {
				p.Fatal(err)
			}
			if _, err := client.Patch(p.Context(), "a", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				p.Fatal(err)
			}
		}, "kept: it has ConfigMap a, ConfigMap b"},
		"chain": {func(p people, account, _ *Object) {
			p.create(secret, "second", p.create(configMap, "first", account))
		}, "deleted"},
		"many": {func(p people, account, _ *Object) {
			for i := range pageSize {
				p.create(configMap, fmt.Sprintf("a-%03d", i), account)
			}
			p.create(configMap, "z-theirs")
		}, "kept: it has ConfigMap z-theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connectForTest(t)
			project := "deployment-owners-" + name
			objects := parse(t, project, operatorObjects)[:3]
			mustApply(t, c, objects)
			realm := parse(t, project, realmObjects)
			mustApply(t, c, realm)
			p := people{t, c, project}
			test.make(p, p.read(objects[2]), p.read(realm[1]))
			changes := removed(t, c, objects, project)
			last := changes[len(changes)-1]
			if said := strings.TrimSuffix(string(last.Action)+": "+last.Reason, ": "); said != test.expected {
				t.Errorf("of the namespace it says %q, expected %q", said, test.expected)
			}
			if exists, err := c.exists(t.Context(), objects[0]); err != nil || exists != (last.Action == Kept) {
				t.Errorf("the namespace exists: %v (error: %v)", exists, err)
			}
		})
	}
}

// A namespace is the operator's own only if opgen has created it for the project.
func TestRemoveKeepsNamespacesOfOthers(t *testing.T) {
	marked := func(t *testing.T, c *Cluster, o *Object) *Object { // a namespace that opgen has created, as people export it
		t.Helper()
		other := o.DeepCopy()
		other.SetName(o.GetName() + "-origin")
		mustApply(t, c, []*Object{other})
		live := people{t, c, ""}.read(other)
		copied := o.DeepCopy()
		copied.SetAnnotations(live.GetAnnotations())
		copied.SetManagedFields(live.GetManagedFields())
		return copied
	}
	for name, test := range map[string]struct {
		before func(t *testing.T, c *Cluster, o *Object) // what others do before opgen deploy
		own    bool
	}{
		"new": {func(*testing.T, *Cluster, *Object) {}, true},
		"existed": {func(t *testing.T, c *Cluster, o *Object) {
			bare := o.DeepCopy()
			bare.SetLabels(map[string]string{"team": "a"})
			people{t, c, ""}.create(`{apiVersion: v1, kind: Namespace, metadata: {name: NAME, labels: {team: a}}}`, o.GetName())
		}, false},
		"labelled": {func(t *testing.T, c *Cluster, o *Object) {
			client, _ := c.access(o)
			if _, err := client.Create(t.Context(), o, metav1.CreateOptions{FieldManager: "argocd-controller"}); err != nil {
				t.Fatal(err)
			}
		}, false},
		"copied": {func(t *testing.T, c *Cluster, o *Object) {
			copied := marked(t, c, o)
			client, _ := c.access(o)
			if _, err := client.Create(t.Context(), copied, metav1.CreateOptions{FieldManager: "opgen"}); err != nil {
				t.Fatal(err)
			}
		}, false},
		"applied": {func(t *testing.T, c *Cluster, o *Object) { // kubectl apply --server-side -k of rendered manifests
			copied := marked(t, c, o)
			copied.SetManagedFields(nil)
			client, _ := c.access(o)
			if _, err := client.Apply(t.Context(), o.GetName(), copied, metav1.ApplyOptions{FieldManager: kubectlManager}); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connectForTest(t)
			project := "deployment-own-" + name
			objects := parse(t, project, operatorObjects)[:3]
			cleanUp(t, c, objects)
			test.before(t, c, objects[0])
			mustApply(t, c, objects)
			mustApply(t, c, objects)
			changes := removed(t, c, objects, project)
			last := changes[len(changes)-1]
			if last.Kind != "Namespace" || (last.Action == Deleted) != test.own {
				t.Errorf("it did %q: %s", actions(changes), last.Reason)
			}
		})
	}
}

// What the manifest drops goes from a namespace that Apply has created, and the record stays.
func TestApplyOwnsWhatItHasCreated(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-relabelled"
	objects := parse(t, project, operatorObjects)[:1]
	warnings := 0
	c.warn = func(string) { warnings++ }
	objects[0].SetLabels(map[string]string{"first": "1", "pod-security.kubernetes.io/warn": "restricted"})
	mustApply(t, c, objects)
	objects[0].SetLabels(map[string]string{"second": "2", "pod-security.kubernetes.io/warn": "baseline"})
	mustApply(t, c, objects)
	live := people{t, c, ""}.read(objects[0])
	if labels := live.GetLabels(); labels["first"] != "" || labels["second"] != "2" || !isOwnNamespace(live, project) || isOwnNamespace(live, "another") {
		t.Errorf("labels %v, annotations %v", labels, live.GetAnnotations())
	}
	if warnings > 0 {
		t.Errorf("%d warnings", warnings)
	}
}

// Pod Security labels hold for everybody in a namespace.
func TestApplyWarnsOfPodSecurityInNamespacesOfOthers(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-podsecurity"
	var warnings []string
	c.warn = func(text string) { warnings = append(warnings, text) }
	objects := parse(t, project, operatorObjects)[:1]
	cleanUp(t, c, objects)
	people{t, c, ""}.create("{apiVersion: v1, kind: Namespace, metadata: {name: NAME}}", project)
	objects[0].SetLabels(map[string]string{"team": "a", "pod-security.kubernetes.io/enforce": "restricted"})
	for _, options := range []ApplyOptions{{Project: project, DryRun: true}, {Project: project}, {Project: project}} {
		if _, err := c.Apply(t.Context(), objects, options); err != nil {
			t.Fatal(err)
		}
	}
	expected := "Namespace " + project + " existed before: it gets pod-security.kubernetes.io/enforce=restricted, which holds for the Pods of others in it, too"
	if !slices.Equal(warnings, []string{expected, expected}) { // the last time, it has them
		t.Errorf("warnings %q", warnings)
	}
}
