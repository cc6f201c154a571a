package process

import (
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

// The kubelet does not kill an operator that is about to give its lease back.
func TestDeployedOperatorsHaveTimeToStop(t *testing.T) {
	data, err := os.ReadFile("../../../examples/echo-server/deploy/zz_generated.manager.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	if err := yaml.Unmarshal(data, &deployment); err != nil {
		t.Fatal(err)
	}
	given := deployment.Spec.Template.Spec.TerminationGracePeriodSeconds
	if given == nil || time.Duration(*given)*time.Second < grace+5*time.Second {
		t.Errorf("the Deployment gives %v seconds to stop, the operator may take %s", given, grace)
	}
}
