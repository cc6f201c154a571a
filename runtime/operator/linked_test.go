package operator

import (
	"os/exec"
	"strings"
	"testing"
)

// TestUnlinkedPackages shows that an operator, built with the tag of the generated Makefile and Dockerfile, links none
// of the packages that would make it larger for nothing. An import of an import that brings one along is seen nowhere
// else.
func TestUnlinkedPackages(t *testing.T) {
	unlinked := map[string]string{ // with /, all packages below the path
		"text/template":             "executing a template calls methods by name, so the linker keeps every exported method: a fifth of the binary",
		"html/template":             "imports text/template",
		"golang.org/x/net/trace":    "imports html/template; the tag grpcnotrace leaves it out of gRPC",
		"github.com/google/cel-go/": "runtime/cel links it, where a child has a rule",
		"k8s.io/apiserver/":         "brings CEL and the API server's metrics and configuration",
		"k8s.io/component-base/":    "brings the metrics and flags of Kubernetes' own programs",
		"sigs.k8s.io/controller-runtime/pkg/metrics/filters": "imports k8s.io/apiserver; runtime/internal/scrape asks both reviews without it",
		"sigs.k8s.io/controller-runtime/pkg/client/fake":     "for tests",
		"sigs.k8s.io/controller-runtime/pkg/envtest":         "for tests",
		"testing":                              "for tests",
		"github.com/opgen-dev/opgen/internal/": "users link the runtime without the generator",
		"golang.org/x/tools/":                  "the generator reads Go source, operators do not",
		"github.com/spf13/cobra":               "operators have a few flags, which package flag reads",
		"github.com/spf13/viper":               "operators have a few flags, which package flag reads",
	}
	out, err := exec.Command("go", "list", "-deps", "-tags=grpcnotrace", ".").Output()
	if err != nil {
		t.Fatalf("list the dependencies: %v", err)
	}
	for linked := range strings.FieldsSeq(string(out)) {
		for path, reason := range unlinked {
			if linked == strings.TrimSuffix(path, "/") || strings.HasSuffix(path, "/") && strings.HasPrefix(linked, path) {
				t.Errorf("an operator links %s: %s", linked, reason)
			}
		}
	}
}
