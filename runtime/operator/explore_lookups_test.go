package operator_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	// lookUps has related objects that are found in each way that follows other objects.
	lookUps struct {
		Clusters operator.Snapshot[*corev1.ConfigMap] // which the parent names
		Secrets  operator.Snapshot[*corev1.Secret]    // which a cluster names
		Commands operator.Snapshot[*corev1.ConfigMap] // which name the parent
		Pods     operator.Snapshot[*corev1.Pod]       // of the Deployment
	}
	lookUpChildren struct {
		ConfigMaps  operator.Snapshot[*corev1.ConfigMap]
		Deployments operator.Snapshot[*appsv1.Deployment]
	}
	lookUpDesired struct {
		ConfigMaps  operator.DesiredSet[*corev1.ConfigMap]
		Deployments operator.DesiredSet[*appsv1.Deployment]
	}
)

// Whoever changes, relabels or deletes what a parent looks up: its child says what is there, and commands
// are deleted once they are obeyed.
func TestExploreLookUps(t *testing.T) {
	longtest.Skip(t, "it explores what Sync looks up")
	t.Parallel()
	operatortest.Explore(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{lookUpController()}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	}, operatortest.Life{
		Parents: []func(string) client.Object{func(name string) client.Object {
			parent := site(name)
			parent.Annotations = map[string]string{"example.com/cluster": name + "-cluster"}
			return parent
		}},
		Related: func(parent client.Object) []client.Object {
			name := parent.GetName()
			waits, obeyed := owned(name+"-waits", name, "wait"), owned(name+"-obeyed", name, "go")
			waits.Labels, obeyed.Labels = map[string]string{"command": ""}, map[string]string{"command": ""}
			return []client.Object{clusterOf(name+"-cluster", name+"-secret"), secretOf("", name+"-secret", "1"), waits, obeyed}
		},
	})
}

func lookUpController() operator.Controller {
	return operator.NewController(operator.Definition[*testapi.Site, testapi.Status, lookUpChildren, lookUpDesired, lookUps]{
		Name: "lookup", Group: testapi.Version.Group,
		Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds: func(observed *lookUpChildren, desired *lookUpDesired) []operator.ChildKind {
			return []operator.ChildKind{
				{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
				{Object: &appsv1.Deployment{}, Policies: operator.Policies{Update: operator.CreateOnly}, NotPartOfReady: true, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)},
			}
		},
		Related: func(related *lookUps) []operator.RelatedKind {
			return []operator.RelatedKind{
				{Object: &corev1.Secret{}, From: "Clusters", NameFrom: ".data.secret", Fields: operator.BindRelated(&related.Secrets)},
				{Object: &corev1.ConfigMap{}, As: "Clusters", NameFrom: `.metadata.annotations.example\.com/cluster`, Fields: operator.BindRelated(&related.Clusters)},
				{Object: &corev1.ConfigMap{}, Selector: "command", Match: map[string]string{".data.owner": ".metadata.name"}, Delete: true, Fields: operator.BindRelated(&related.Commands)},
				{
					Object: &corev1.Pod{}, Selector: "app=explored", Fields: operator.BindRelated(&related.Pods),
					OfChild: &operator.OfChild{Object: &appsv1.Deployment{}, Through: operator.Unstructured("apps/v1", "ReplicaSet")},
				},
			}
		},
		Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
		Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
		ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
		Sync:               syncLookUps,
	})
}

// syncLookUps desires a ConfigMap with what is looked up, and a Deployment.
func syncLookUps(_ context.Context, req *operator.Request[*testapi.Site, lookUpChildren, lookUps]) (*operator.Response[lookUpDesired, testapi.Status], error) {
	want, name := new(lookUpDesired), req.Parent.Name
	response := &operator.Response[lookUpDesired, testapi.Status]{Children: want, Status: new(testapi.Status)}
	found := configMap(name, "")
	for cluster := range req.Related.Clusters.All() {
		found.Data["cluster"] = cluster.Data["key"]
	}
	for secret := range req.Related.Secrets.All() {
		found.Data["secret"] = string(secret.Data["key"])
	}
	for command := range req.Related.Commands.All() {
		if command.Data["key"] != "wait" {
			response.Delete = append(response.Delete, command)
		}
		found.Data["commands"] += command.Name + "=" + command.Data["key"] + ";"
	}
	var pods []string
	for pod := range req.Related.Pods.All() {
		pods = append(pods, pod.Name)
	}
	slices.Sort(pods)
	response.Status.Phase = strings.Join(pods, " ")
	want.ConfigMaps.Add(found)
	deployment := named(deploymentWith("web:1", 1), name)
	deployment.Spec.Template.Labels = map[string]string{"app": "explored", "site": name}
	deployment.Spec.Selector.MatchLabels = map[string]string{"site": name}
	want.Deployments.Add(deployment)
	return response, nil
}
