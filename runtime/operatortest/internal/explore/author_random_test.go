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

func TestAHeadlessServiceStaysSoWhenItsAddressIsLeftOut(t *testing.T) {
	service := func(address string) map[string]any {
		spec := map[string]any{"clusterIP": address, "clusterIPs": []any{address}, "ipFamilyPolicy": "SingleStack", "ports": []any{}}
		if address == "None" {
			spec["ipFamilyPolicy"] = "RequireDualStack"
		}
		return map[string]any{"spec": spec}
	}
	leftOut, empty, other := map[string]any{"spec": map[string]any{}}, map[string]any{"spec": map[string]any{"clusterIP": ""}}, map[string]any{"spec": map[string]any{"clusterIP": "10.0.0.1"}}
	for _, test := range []struct {
		name            string
		desired, before map[string]any
		isSame          bool
	}{
		{"left out", leftOut, service("None"), true},
		{"empty", empty, service("None"), true},
		{"of another address", other, service("None"), false},
		{"that never was headless", leftOut, service("10.0.0.2"), false},
	} {
		made, live := service("10.0.0.1"), service("None")
		withoutKept(made, test.desired, test.before)
		withoutKept(live, test.desired, test.before)
		if found := diff.JSON(made, live); (len(found) == 0) != test.isSame {
			t.Errorf("%s: differences are %v", test.name, found)
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
