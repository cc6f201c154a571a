package explore

import (
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

func TestAllocationsOfServicesAreTheSameUnlessDesired(t *testing.T) {
	service := func(clusterIP string, nodePort int64) map[string]any {
		ports := []any{map[string]any{"port": int64(80), "nodePort": nodePort}}
		return map[string]any{"spec": map[string]any{"clusterIP": clusterIP, "ports": ports}}
	}
	headless := func(policy string) map[string]any {
		return map[string]any{"spec": map[string]any{"clusterIP": "None", "ipFamilyPolicy": policy, "ports": []any{}}}
	}
	withoutSelector := map[string]any{"spec": map[string]any{"clusterIP": "None"}}
	plain := map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"port": int64(80)}}}}
	for _, test := range []struct {
		name       string
		made, live map[string]any
		desired    map[string]any
		expect     int
	}{
		{"what is allocated", service("10.0.0.1", 30001), service("10.0.0.2", 30002), plain, 0},
		{"what is desired", service("10.0.0.1", 30001), service("10.0.0.2", 30002), service("10.0.0.1", 30001), 2},
		{"no address at all", service("None", 30001), service("10.0.0.2", 30002), plain, 1},
		{"families of a new headless Service", headless("RequireDualStack"), headless("SingleStack"), withoutSelector, 0},
		{"families that are desired", headless("RequireDualStack"), headless("SingleStack"), headless("RequireDualStack"), 1},
	} {
		withoutAllocations(test.made, test.desired)
		withoutAllocations(test.live, test.desired)
		if found := diff.JSON(test.made, test.live); len(found) != test.expect {
			t.Errorf("%s: %d differences, want %d: %v", test.name, len(found), test.expect, found)
		}
	}
}

func TestNamesOfTokenVolumesAreTheSame(t *testing.T) {
	pod := func(name string) map[string]any {
		return map[string]any{"volumes": []any{map[string]any{"name": name}}}
	}
	for name, expect := range map[string]bool{"kube-api-access-abc12": true, "data": false, "kube-api-access-of-mine": false} {
		found := diff.JSON(withoutRandomNames(pod("kube-api-access-xyz89")), withoutRandomNames(pod(name)))
		if equal := len(found) == 0; equal != expect {
			t.Errorf("%s is the same as kube-api-access-xyz89: %t", name, equal)
		}
	}
}
