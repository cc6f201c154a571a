package operatortest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestRolesAreAllTheRightsOfTheOperator(t *testing.T) {
	var cluster *operatortest.Cluster
	t.Cleanup(func() { // after the harness has cleaned up
		if cluster == nil {
			return
		}
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace + "-0"}}
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: role.ObjectMeta}
		for _, object := range []client.Object{role, binding} {
			if err := cluster.Client.Get(context.Background(), client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
				t.Errorf("%T is left: %v", object, err)
			}
		}
	})
	var ledger *Ledger
	cluster, ledger = run(t, copyOutOrJob, configure(func(config *operatortest.Config) { config.Roles, config.LacksRights = "testdata/roles.yaml", true }))
	cluster.Matches(textMap("web", "one"))
	cluster.Converged(ledger)

	expectForbidden(cluster, ledger)
}

// copyOutOrJob desires a Job for a text, which the roles of the tests do not allow.
func copyOutOrJob(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	response, err := copyOut(ctx, req)
	if req.Parent.Spec.Text == "job" {
		response.Children.Jobs.Add(job(req.Parent.Name))
	}
	return response, err
}

func expectForbidden(cluster *operatortest.Cluster, ledger *Ledger) {
	cluster.Update(ledger, func() { ledger.Spec.Text = "job" })
	cluster.Eventually("a Job is forbidden", func() error {
		if cluster.Errors(ledger)["Forbidden"] == 0 {
			return errors.New("it is not")
		}
		return nil
	})
}

// lackRights has to fail.
func lackRights(t *testing.T) {
	cluster, ledger := run(t, copyOutOrJob, configure(func(config *operatortest.Config) { config.Roles = "testdata/roles.yaml" }))
	expectForbidden(cluster, ledger)
}

func TestARefusedRequestFailsTheTest(t *testing.T) {
	expectFailure(t, "roles", "the roles in testdata/roles.yaml do not allow what the operator requests:\n  create jobs.batch in namespace operatortest-")
}

func TestUsedPermissionsAreRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "requests")
	t.Setenv("OPGEN_TEST_REQUESTS", dir)
	t.Run("operator", func(t *testing.T) {
		cluster := operatortest.Start(t, ledgerConfig(copyOut, configure(func(config *operatortest.Config) { config.Roles = "testdata/roles.yaml" })))
		ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: LedgerSpec{Text: "one"}}
		cluster.Create(ledger)
		cluster.Matches(textMap("web", "one"))
		cluster.Converged(ledger)
		cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
		cluster.Converged(ledger)
	})
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 && os.Getenv("OPGEN_TEST_KUBECONFIG") != "" {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{
			`"test": "TestUsedPermissionsAreRecorded/operator"`, `testdata/roles.yaml"`,
			`"toConverge": 2`, // the ConfigMap and the status, until the ledger had converged for the first time
			`"verb": "watch",` + "\n" + `      "group": "operatortest.opgen.dev",` + "\n" + `      "resource": "ledgers"`,
			`"verb": "create",` + "\n" + `      "resource": "configmaps",` + "\n" + `      "namespace": "ledgers-system"`,
			`"verb": "update",` + "\n" + `      "group": "operatortest.opgen.dev",` + "\n" + `      "resource": "ledgers/finalizers"`,
		} {
			if !strings.Contains(string(data), part) {
				t.Errorf("%s is not recorded:\n%s", part, data)
			}
		}
	}
}

func job(name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "job", Image: "example.com/job"}},
		}},
	}}
}
