package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestUnlinkedPackages shows that opgen links none of the packages that would make it larger and
// slower to start for nothing. An import of an import that brings one along is seen nowhere else.
func TestUnlinkedPackages(t *testing.T) {
	unlinked := map[string]string{ // with /, all packages below the path
		"github.com/opgen-dev/opgen/runtime/":          "operators link the runtime, the generator does not",
		"github.com/opgen-dev/opgen/tools/":            "tools are for developers of opgen",
		"sigs.k8s.io/controller-runtime/":              "operators link it, the generator does not",
		"k8s.io/client-go/kubernetes/":                 "opgen asks no API server for anything: opgen cluster runs kubectl",
		"k8s.io/client-go/informers/":                  "opgen asks no API server for anything: opgen cluster runs kubectl",
		"k8s.io/kubectl/":                              "the local Kubernetes has it in a binary of its own",
		"k8s.io/apiextensions-apiserver/pkg/apiserver": "serves CRDs; what checks them is in the packages below it",
		"k8s.io/apiserver/pkg/server":                  "the API server itself",
		"github.com/rogpeppe/go-internal/testscript":   "for tests",
		"github.com/google/go-cmp/cmp":                 "for tests",
		"pgregory.net/rapid":                           "for tests",
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("list the dependencies: %v", err)
	}
	for linked := range strings.FieldsSeq(string(out)) {
		for path, reason := range unlinked {
			if linked == "github.com/opgen-dev/opgen/runtime/kubelet" { // it links types of Kubernetes alone
				continue
			}
			if linked == strings.TrimSuffix(path, "/") || strings.HasSuffix(path, "/") && strings.HasPrefix(linked, path) {
				t.Errorf("opgen links %s: %s", linked, reason)
			}
		}
	}
}
