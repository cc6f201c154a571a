package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A CRD may let conditions of one type in twice.
func TestMergeKeepsOneConditionOfAType(t *testing.T) {
	existing := []metav1.Condition{{Type: "Theirs", Reason: "First"}, {Type: Ready, Status: "True"}, {Type: "Theirs", Reason: "Second"}, {Type: Ready, Status: "Unknown"}}
	merged := MergeConditions(Merge{Existing: existing, Runtime: []metav1.Condition{{Type: Ready, Status: "False"}}, IsOurs: func(string) bool { return false }})
	if len(merged) != 2 || merged[0].Reason != "First" || merged[1].Type != Ready || merged[1].Status != "False" {
		t.Errorf("merged are %+v", merged)
	}
}
