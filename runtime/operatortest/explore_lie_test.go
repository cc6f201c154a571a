package operatortest_test

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// exploreALie explores an operator that believes in writes that were never made.
func exploreALie(t *testing.T) {
	config := ledgerConfig(copyOut)
	config.Transport = func(next http.RoundTripper) http.RoundTripper { return dryPatches{next} }
	operatortest.Explore(t, config, ledgerLife())
}

func ledgerLife() operatortest.Life {
	return operatortest.Life{Parents: []func(string) client.Object{func(name string) client.Object {
		return &Ledger{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: LedgerSpec{Text: "one"}}
	}}}
}

// dryPatches turns each patch of a ConfigMap into a dry run.
type dryPatches struct{ next http.RoundTripper }

var configMapPath = regexp.MustCompile("/configmaps/[^/]+$")

func (d dryPatches) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPatch && configMapPath.MatchString(request.URL.Path) {
		request = request.Clone(request.Context())
		query := request.URL.Query()
		query.Set("dryRun", "All")
		request.URL.RawQuery = query.Encode()
	}
	return d.next.RoundTrip(request)
}

func TestExploreFindsThatWritesAreNotMade(t *testing.T) {
	output := expectFailure(t, "lie", "ConfigMap_*/foreign/data.text:_change", `data.text is "one-other", want "one"`, "Ready=True", "again: go test -run '^TestFailing$/", "silent")
	if regexp.MustCompile(`(?m)^--- FAIL: TestFailing `).FindString(output) == "" {
		t.Error("the test itself has not failed")
	}
}

// TestExploreFailsIfNoCaseMatches runs the line of a case that there is no more.
func TestExploreFailsIfNoCaseMatches(t *testing.T) {
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=1m", "-test.run=^TestFailing$/^ConfigMap_[*]$/^gone$")
	command.Env = append(os.Environ(), failingVariable+"=replay")
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "no case matches -run '^TestFailing$/^ConfigMap_[*]$/^gone$'") {
		t.Errorf("error %v:\n%s", err, output)
	}
}
