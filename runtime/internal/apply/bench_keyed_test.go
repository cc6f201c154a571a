package apply

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// keyedSizes are numbers of items of a list with keys. One of 10,000 is about 1 MB as an object.
var keyedSizes = []int{200, 1000, 3000, 10000}

// withVariables returns a Deployment whose container has this many environment variables.
func withVariables(n int) *appsv1.Deployment {
	d := typicalDeployment().(*appsv1.Deployment)
	variables := make([]corev1.EnvVar, n)
	for i := range variables {
		variables[i] = corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", i), Value: "a value of a usual length"}
	}
	d.Spec.Template.Spec.Containers[0].Env = variables
	return d
}

// liveWithVariables returns what the API server made of that Deployment.
func liveWithVariables(b testing.TB, n int) *appsv1.Deployment {
	live := typicalLive(b, "Deployment", new(appsv1.Deployment)).(*appsv1.Deployment)
	live.Spec.Template.Spec.Containers[0].Env = withVariables(n).Spec.Template.Spec.Containers[0].Env
	entries := live.GetManagedFields()
	var fields map[string]any
	if err := json.Unmarshal(entries[0].FieldsV1.GetRawBytes(), &fields); err != nil {
		b.Fatal(err)
	}
	below := fields
	for _, step := range []string{"f:spec", "f:template", "f:spec", "f:containers", `k:{"name":"echo"}`, "f:env"} {
		below = below[step].(map[string]any)
	}
	clear(below)
	for i := range n {
		below[fmt.Sprintf(`k:{"name":"VARIABLE_%d"}`, i)] = map[string]any{".": map[string]any{}, "f:name": map[string]any{}, "f:value": map[string]any{}}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		b.Fatal(err)
	}
	entries[0].FieldsV1 = metav1.NewFieldsV1(string(raw))
	live.SetManagedFields(entries)
	return live
}

// BenchmarkKeyedList compares a child after a change of its status, which is no change of ours.
func BenchmarkKeyedList(b *testing.B) {
	for _, size := range keyedSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			live, state, desired := liveWithVariables(b, size), new(AppliedState), typicalDesired(b, withVariables(size))
			live.Annotations[desired.HashKey] = desired.Hash
			if err := offline.newApply(time.Now(), state, desired).recordApplied(live); err != nil {
				b.Fatal(err)
			}
			versions, i := []string{"1", "2"}, 0
			measure(b, func() {
				i = 1 - i
				live.SetResourceVersion(versions[i])
				if v, err := offline.newApply(time.Now(), state, desired).compareLive(live); v != inSync || err != nil {
					b.Fatal(v, err)
				}
			})
		})
	}
}
