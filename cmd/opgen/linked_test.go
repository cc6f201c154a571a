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
		"github.com/opgen-dev/opgen/runtime/":                  "operators link the runtime, the generator does not",
		"github.com/opgen-dev/opgen/tools/":                    "tools are for developers of opgen",
		"sigs.k8s.io/controller-runtime/":                      "operators link it, the generator does not",
		"k8s.io/client-go/kubernetes/":                         "it registers every type at each start: internal/deployment has a dynamic client",
		"k8s.io/client-go/discovery":                           "it brings k8s.io/client-go/kubernetes/scheme along",
		"k8s.io/client-go/informers/":                          "opgen watches nothing",
		"k8s.io/kubectl/":                                      "the local Kubernetes has it in a binary of its own",
		"k8s.io/apiextensions-apiserver/pkg/apiserver":         "serves CRDs; what checks them is in the packages below it",
		"k8s.io/apiserver/pkg/server":                          "the API server itself",
		"github.com/rogpeppe/go-internal/testscript":           "for tests",
		"github.com/google/go-cmp/cmp":                         "for tests",
		"pgregory.net/rapid":                                   "for tests",
		"github.com/google/go-containerregistry/pkg/registry":  "for tests",
		"github.com/google/go-containerregistry/pkg/v1/daemon": "images are built without Docker",
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
