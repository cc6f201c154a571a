package deployment

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestRemoveKeepsUsersData(t *testing.T) {
	for name, test := range map[string]struct {
		users    string // an object of a user's in the operator's namespace
		expected string // what is said of the namespace
	}{
		"nothing": {"", "deleted"},
		"configmap": {`apiVersion: v1
kind: ConfigMap
metadata: {name: theirs, namespace: NAME}`, "kept: it has ConfigMap theirs"},
		"claim": {`apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: NAME}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`, "kept: it has PersistentVolumeClaim data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connectForTest(t)
			project := "deployment-remove-" + name
			objects := parse(t, project, operatorObjects)[:3] // without a Cup
			mustApply(t, c, objects)
			if test.users != "" {
				mustApply(t, c, parse(t, project, test.users))
			}
			plan, err := c.PlanRemoval(t.Context(), objects, project)
			if err != nil {
				t.Fatal(err)
			}
			changes, err := c.Remove(t.Context(), plan, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(plan.Changes, changes) {
				t.Errorf("the plan says %v, and it does %v", plan.Changes, changes)
			}
			if actions(changes[:2]) != "ServiceAccount deleted, CustomResourceDefinition kept" {
				t.Errorf("it did %q", actions(changes))
			}
			last := changes[2]
			said := strings.TrimSuffix(string(last.Action)+": "+last.Reason, ": ")
			if said != test.expected {
				t.Errorf("of the namespace it says %q, expected %q", said, test.expected)
			}
			if exists, err := c.exists(t.Context(), objects[0]); err != nil || exists != (last.Action == Kept) {
				t.Errorf("the namespace exists: %v (error: %v)", exists, err)
			}
			again := removed(t, c, objects, project)
			if slices.ContainsFunc(again, func(c Change) bool { return c.Action == Deleted }) {
				t.Errorf("the second time it did %q", actions(again))
			}
		})
	}
}

// A namespace that opgen did not make, and objects of the project's kinds, stay.
func TestRemoveKeepsWhatIsNotTheOperators(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-shared", operatorObjects)
	mustApply(t, c, objects)
	changes := removed(t, c, objects, "another")
	if actions(changes) != "Cup kept, ServiceAccount deleted, CustomResourceDefinition kept, Namespace kept" {
		t.Errorf("it did %q", actions(changes))
	}
}

func TestDeleteCRDs(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-uninstall", operatorObjects)
	mustApply(t, c, objects)
	cup, err := c.access(objects[3])
	if err != nil {
		t.Fatal(err)
	}
	setFinalizers := func(list string) error {
		patch := []byte(`{"metadata":{"finalizers":` + list + `}}`)
		_, err := cup.Patch(context.Background(), "first", types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
	t.Cleanup(func() { _ = setFinalizers(`[]`) })
	if err := setFinalizers(`["example.com/held"]`); err != nil {
		t.Fatal(err)
	}

	data, err := c.Count(t.Context(), objects)
	if err != nil || len(data) != 1 || data[0].Objects != 1 || data[0].Namespaces != 1 || data[0].Held != 1 || !slices.Equal(data[0].Finalizers, []string{"example.com/held"}) {
		t.Fatalf("counted %+v (error: %v)", data, err)
	}
	_, err = c.DeleteCRDs(t.Context(), data, time.Second)
	if err == nil || !strings.Contains(err.Error(), "still being deleted after 1s: 1 of its objects have finalizers: example.com/held") {
		t.Errorf("error %v", err)
	}
	if err := setFinalizers(`[]`); err != nil {
		t.Fatal(err)
	}
	changes, err := c.DeleteCRDs(t.Context(), data, time.Minute)
	if err != nil || actions(changes) != "CustomResourceDefinition deleted" {
		t.Errorf("it did %q (error: %v)", actions(changes), err)
	}
	if data, err = c.Count(t.Context(), objects); err != nil || len(data) != 0 {
		t.Errorf("counted %+v (error: %v) after it", data, err)
	}
}

// A CRD that Helm has installed, for example, is not opgen's to delete.
func TestDeleteCRDsKeepsThoseOfOthers(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-foreign", operatorObjects)[1:2]
	cleanUp(t, c, objects)
	client, err := c.access(objects[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Create(t.Context(), objects[0], metav1.CreateOptions{FieldManager: "helm"}); err != nil {
		t.Fatal(err)
	}
	data, err := c.Count(t.Context(), objects)
	if err != nil || len(data) != 1 || data[0].Kept != notApplied {
		t.Fatalf("counted %+v (error: %v)", data, err)
	}
	if changes, err := c.DeleteCRDs(t.Context(), data, time.Minute); err != nil || len(changes) > 0 {
		t.Errorf("it did %q (error: %v)", actions(changes), err)
	}
	if exists, err := c.exists(t.Context(), objects[0]); err != nil || !exists {
		t.Errorf("it exists: %v (error: %v)", exists, err)
	}
}

// Between the count and the deletion, somebody makes the CRD again, with objects that nobody has counted.
func TestDeleteCRDsDeletesOnlyWhatWasCounted(t *testing.T) {
	c := connectForTest(t)
	objects := parse(t, "deployment-recount", operatorObjects)[1:2]
	mustApply(t, c, objects)
	data, err := c.Count(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.DeleteCRDs(t.Context(), data, time.Minute); err != nil {
		t.Fatal(err)
	}
	mustApply(t, c, objects)
	changes, err := c.DeleteCRDs(t.Context(), data, time.Second)
	if err == nil || !strings.Contains(err.Error(), "it is another one than before") || len(changes) > 0 {
		t.Errorf("it did %q (error: %v)", actions(changes), err)
	}
	if exists, err := c.exists(t.Context(), objects[0]); err != nil || !exists {
		t.Errorf("it exists: %v (error: %v)", exists, err)
	}
}
