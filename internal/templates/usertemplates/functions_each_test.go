//go:build linux || darwin

package usertemplates

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// TestEachFunctionWithEachValue calls every function with every value of leaves, alone and beside others.
func TestEachFunctionWithEachValue(t *testing.T) {
	longtest.Skip(t, "it calls 190 functions with 24 values in 4 ways; TestAttacks has the ways that are known")
	for _, name := range slices.Concat(allowedNames(), builtins) {
		for _, leaf := range leaves {
			for _, format := range []string{"%s", "%s %s", `"x" %s`, `%s 3`} {
				args := make([]any, strings.Count(format, "%s"))
				for i := range args {
					args[i] = leaf
				}
				call := name + " " + fmt.Sprintf(format, args...)
				if took, allocated := renderCall(call); took > mostTime || allocated > mostAllocated {
					t.Errorf("%s: took %s and %d MiB", call, took, allocated>>20)
				}
			}
		}
	}
}
