package main

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// TestWrittenCRDs takes the CRDs that were written for the purpose through the whole table.
func TestWrittenCRDs(t *testing.T) {
	longtest.Skip(t, "it compiles Go packages of Kubernetes")
	table, err := measureFolder(t.Context(), "testdata/crds")
	if err != nil {
		t.Fatal(err)
	}
	if !table.isGood() {
		var out strings.Builder
		table.print(&out)
		t.Error(out.String())
	}
}

// TestDifferencesCount shows that the comparison sees what it must, and only that.
func TestDifferencesCount(t *testing.T) {
	schema := func(keywords map[string]any) map[string]any { return map[string]any{"properties": keywords} }
	for _, tc := range []struct {
		given string
		a, b  map[string]any
		equal bool
	}{
		{"another order of required", map[string]any{"required": []any{"a", "b"}}, map[string]any{"required": []any{"b", "a"}}, true},
		{"false and absent", map[string]any{"nullable": false}, map[string]any{}, true},
		{"a default of false and none", map[string]any{"default": false}, map[string]any{}, false},
		{"an empty object and none", schema(map[string]any{}), map[string]any{}, false},
		{"another description", map[string]any{"description": "a"}, map[string]any{"description": "a "}, false},
		{"another order of an enum", map[string]any{"enum": []any{"a", "b"}}, map[string]any{"enum": []any{"b", "a"}}, false},
	} {
		t.Run(tc.given, func(t *testing.T) {
			if got := isSameCRD(tc.a, tc.b); got != tc.equal {
				t.Errorf("got %v", got)
			}
		})
	}
}
