package crdgen_test

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

func TestCRDThatNoAPIServerTakes(t *testing.T) {
	for _, tc := range []struct {
		given       string
		description int
		want        string
	}{
		{"just small enough", 3<<20 - 2000, ""},
		{"too large", 3 << 20, "a.yaml:4:15: names.kind: the CRD has 3073 KiB, and API servers accept requests of at most 3072 KiB\n" +
			"    shorten descriptions, leave versions out, or leave parts open with x-kubernetes-preserve-unknown-fields"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			file := "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: EchoServer}\nversions:\n" +
				"- name: v1\n  description: " + strings.Repeat("a", tc.description) + "\n"
			api, problems := spec.ParseAPI("a.yaml", []byte(file))
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			if _, problems := crdgen.CRD(api, spec.DefaultMinKubernetes); problems.Error() != tc.want {
				t.Errorf("got %q, want %q", problems.Error(), tc.want)
			}
		})
	}
}
