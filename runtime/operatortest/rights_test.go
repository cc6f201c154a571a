package operatortest_test

import (
	"context"
	"errors"
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
	cluster, ledger = run(t, func(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		response, err := copyOut(ctx, req)
		if req.Parent.Spec.Text == "job" {
			response.Children.Jobs.Add(job(req.Parent.Name))
		}
		return response, err
	}, configure(func(config *operatortest.Config) { config.Roles = "testdata/roles.yaml" }))
	cluster.Matches(textMap("web", "one"))
	cluster.Converged(ledger)

	cluster.Update(ledger, func() { ledger.Spec.Text = "job" })
	cluster.Eventually("a Job is forbidden", func() error {
		if cluster.Errors(ledger)["Forbidden"] == 0 {
			return errors.New("it is not")
		}
		return nil
	})
}

func job(name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "job", Image: "example.com/job"}},
		}},
	}}
}
