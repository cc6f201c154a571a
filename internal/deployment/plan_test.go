package deployment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// The plan names what goes with the objects of the manifests, and keeps what others have put there
// under their names.
func TestPlanRemovalNamesWhatGoes(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-plan"
	objects := parse(t, project, operatorObjects)[:3:3]
	mustApply(t, c, objects)
	p := people{t, c, project}
	account := p.read(objects[2])
	p.create(secret, "second", p.create(configMap, "first", account))
	p.create(podOf, "pod", account)
	foreign := p.create(configMap, "foreign")

	plan, err := c.PlanRemoval(t.Context(), append(objects, foreign), project)
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, each := range plan.Dependents {
		named = append(named, fmt.Sprintf("%s %v", each.Title(), each.Data))
	}
	expected := []string{"ConfigMap deployment-plan/first true", "Pod deployment-plan/pod false", "Secret deployment-plan/second true"}
	if !slices.Equal(named, expected) {
		t.Errorf("with it go %q, expected %q", named, expected)
	}
	if actions(plan.Changes) != "ConfigMap kept, ServiceAccount deleted, CustomResourceDefinition kept, Namespace kept" ||
		plan.Changes[0].Reason != "neither opgen nor kubectl apply put it there" {
		t.Errorf("it plans %q: %s", actions(plan.Changes), plan.Changes[0].Reason)
	}
}

const podOf = `apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec: {containers: [{name: none, image: none}]}`

// The garbage collector would delete a claim with its owner, and the plan cannot keep it.
func TestPlanRemovalRefusesToCollectData(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-collected"
	objects := parse(t, project, operatorObjects)
	mustApply(t, c, objects)
	p := people{t, c, project}
	p.create(claim, "data", p.read(objects[2]))
	for _, planned := range [][]*Object{objects[:3], objects[2:3]} { // with its namespace, and without
		_, err := c.PlanRemoval(t.Context(), planned, project)
		if err == nil || !strings.HasPrefix(err.Error(), "PersistentVolumeClaim deployment-collected/data: it would be deleted with its owner, ServiceAccount op\n    remove its ownerReferences") {
			t.Errorf("error %v", err)
		}
	}
}

// Between the plan and the removal, others write.
func TestRemoveDoesNoMoreThanThePlan(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-between"
	objects := parse(t, project, operatorObjects)[:3]
	mustApply(t, c, objects)
	plan, err := c.PlanRemoval(t.Context(), objects, project)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.delete(t.Context(), objects[2], metav1.DeletePropagationBackground); err != nil {
		t.Fatal(err)
	}
	p := people{t, c, project}
	again := p.create("{apiVersion: v1, kind: ServiceAccount, metadata: {name: op}}", project)
	changes, err := c.Remove(t.Context(), plan, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "ServiceAccount deployment-between/op: it is another one than before: ") {
		t.Errorf("error %v", err)
	}
	if last := changes[len(changes)-1]; last.Action != Kept || last.Reason != "it has ServiceAccount op" {
		t.Errorf("of the namespace it says %s: %s", last.Action, last.Reason)
	}
	if p.read(again).GetUID() != again.GetUID() {
		t.Error("the new ServiceAccount has gone")
	}
}

// cert-manager gives the Secrets that it issues no owner.
func TestSecretsOfCertificates(t *testing.T) {
	certificate := parse(t, "", `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: serving, uid: certificate}
spec: {secretName: issued}`)[0]
	issued := func(name, by string) *Object {
		return parse(t, "", fmt.Sprintf(`apiVersion: v1
kind: Secret
metadata: {name: %s, uid: %[1]s, annotations: {cert-manager.io/certificate-name: %s}}`, name, by))[0]
	}
	c := content{}
	for _, o := range []*Object{certificate, issued("issued", "serving"), issued("copied", "serving"), issued("other", "absent")} {
		c.items = append(c.items, itemOf(o.GroupVersionKind().GroupKind(), o))
	}
	planned := []plannedRemoval{{Change: changeOf(certificate, Deleted, ""), live: certificate}}
	left := c.left(c.going(nil, uidsOf(planned, "")))
	if !slices.Equal(left, []string{"Secret copied", "Secret other"}) {
		t.Errorf("left are %q", left)
	}
	if left := c.left(c.going(nil, nil)); len(left) != 4 {
		t.Errorf("while the Certificate stays, left are %q", left)
	}
}

// An API server behind the API server may hold objects that nobody sees while it is down.
func TestSilentVersions(t *testing.T) {
	group := apidiscovery.APIGroupDiscovery{Versions: []apidiscovery.APIVersionDiscovery{
		{Version: "v1", Freshness: apidiscovery.DiscoveryFreshnessStale},
		{Version: "v2", Freshness: apidiscovery.DiscoveryFreshnessCurrent},
	}}
	group.Name = "vms.example.com"
	if found := silentVersions(group); !slices.Equal(found, []string{"vms.example.com/v1"}) {
		t.Errorf("found %q", found)
	}
	group.Name = "metrics.k8s.io"
	if found := silentVersions(group); len(found) > 0 {
		t.Errorf("of measurements, found %q", found)
	}
}

// The operator goes on with its permissions if it cannot be stopped.
func TestRemoveStopsWhereOthersNeedAnObject(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-stops"
	objects := parse(t, project, convertedObjects)
	mustApply(t, c, objects)
	plan, err := c.PlanRemoval(t.Context(), objects, project)
	if err != nil {
		t.Fatal(err)
	}
	deployment, err := c.access(objects[3])
	if err != nil {
		t.Fatal(err)
	}
	if err := c.delete(t.Context(), objects[3], metav1.DeletePropagationBackground); err != nil {
		t.Fatal(err)
	}
	if err := c.awaitGone(t.Context(), objects[3], time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := deployment.Create(t.Context(), objects[3], metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	changes, err := c.Remove(t.Context(), plan, time.Minute)
	if err == nil || len(changes) > 0 {
		t.Errorf("it did %q (error: %v)", actions(changes), err)
	}
}

// Who may not see what a namespace has does not delete it.
func TestPlanRemovalKeepsNamespacesThatCannotBeListed(t *testing.T) {
	c := connectForTest(t)
	const project = "deployment-unlisted"
	objects := parse(t, project, operatorObjects)[:3]
	mustApply(t, c, objects)
	mustApply(t, c, parse(t, project, `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
rules:
- {apiGroups: ["", apiextensions.k8s.io], resources: [namespaces, serviceaccounts, configmaps, customresourcedefinitions], verbs: ["*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: NAME}]`))
	limited := connectAs(t, project)
	var plan *RemovalPlan
	err := waitUntil(t.Context(), 30*time.Second, "the role has no effect", func(ctx context.Context) (bool, error) {
		var err error
		plan, err = limited.PlanRemoval(ctx, objects, project)
		return err == nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	last := plan.Changes[len(plan.Changes)-1]
	if last.Kind != "Namespace" || last.Action != Kept || !strings.Contains(last.Reason, " that you may not list") {
		t.Errorf("it plans %q: %s", actions(plan.Changes), last.Reason)
	}
}

// connectAs connects to the cluster for tests as somebody else.
func connectAs(t *testing.T, user string) *Cluster {
	t.Helper()
	config, err := clientcmd.LoadFromFile(os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range config.AuthInfos {
		each.Impersonate = user
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), file, "", func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}
