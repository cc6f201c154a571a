package operatortest_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/kubelet"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// rollOut wants a Deployment, then a Job, and then a ConfigMap, each named after the parent.
func rollOut(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	want, name := new(ledgerChildren), req.Parent.Name
	template := podTemplate()
	template.Labels["app"], template.Spec.Containers[0].Image = name, "main:"+req.Parent.Spec.Text
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, Template: template,
	}}
	want.Deployments.Add(deployment)
	ending := podSpec()
	ending.RestartPolicy = corev1.RestartPolicyNever
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: ending}}}
	want.Jobs.Add(job, operator.CreateOnly, operator.After(deployment))
	if req.Children.Jobs.Ready(name) {
		want.ConfigMaps.Add(textMap(name, "one"))
	}
	return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
}

// TestKubeletPlaysForAll rolls out an image that nobody can pull, and then another one.
func TestKubeletPlaysForAll(t *testing.T) {
	cluster, ledger := run(t, rollOut, configure(func(config *operatortest.Config) {
		config.Kubelet = kubelet.WithoutImages("main:broken")
	}))
	ready := func(status metav1.ConditionStatus, reason string) *Ledger {
		return &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{
			ObservedGeneration: ledger.Generation, Conditions: []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}},
		}}
	}
	cluster.Matches(ready("True", "Ready"), textMap("web", "one"))
	cluster.Update(ledger, func() { ledger.Spec.Text = "broken" })
	cluster.Matches(ready("False", "Progressing"))
	cluster.Eventually("a Pod cannot pull its image", func() error {
		var pods corev1.PodList
		if err := cluster.Client.List(t.Context(), &pods); err != nil {
			return err
		}
		for _, pod := range pods.Items {
			for _, status := range pod.Status.ContainerStatuses {
				if pod.Namespace == cluster.Namespace && status.State.Waiting != nil {
					return nil
				}
			}
		}
		return context.DeadlineExceeded
	})
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Matches(ready("True", "Ready"))
	cluster.Converged(ledger)
}

// exploreWithKubelet explores an operator that believes in changes of a ConfigMap that were never made.
// It desires the ConfigMap once a Job has succeeded.
func exploreWithKubelet(t *testing.T) {
	config := ledgerConfig(rollOut)
	config.Kubelet = kubelet.PlayPod
	config.Transport = func(next http.RoundTripper) http.RoundTripper { return dryPatches{next} }
	operatortest.Explore(t, config, ledgerLife())
}

func TestExploreReachesChildrenThatWaitForPods(t *testing.T) {
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	const name = "TestFailing/ConfigMap_*/foreign/data.text:_change"
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=3m", "-test.run=^TestFailing$/^ConfigMap_[*]$/^foreign$/^data.text:_change$")
	command.Env = append(os.Environ(), failingVariable+"=kubelet")
	output, err := command.CombinedOutput()
	if text := string(output); err == nil || !strings.Contains(text, name) || !strings.Contains(text, `data.text is "one-other", want "one"`) {
		t.Errorf("error %v:\n%s", err, text)
	}
}
