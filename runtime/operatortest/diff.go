package operatortest

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// Diff describes the fields in which two responses, desired sets or Kubernetes objects differ,
// under the names of their children. It is empty if they mean the same. Of two states it compares
// the objects; see [State].
func Diff(expected, got any) string {
	if state, ok := expected.(State); ok {
		if other, ok := got.(State); ok {
			return state.diffTo(other)
		}
	}
	return diff.DescribeValues(expected, got)
}

// DiffSubset describes which fields that are set in expected are missing or different in got. It is
// empty if there are none. Items of lists are matched by their name or another key, or else by
// their index, and got may have more of them. Lists of plain values have to be equal. A field with
// the zero value of its Go type is not set; of pointers, only nil is not set. For the data of
// Secrets and the values of environment variables it shows the paths only.
func DiffSubset(expected, got client.Object) string { return diff.Subset(expected, got) }
