package operatortest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// failingVariable names the test that a process is to run and that has to fail.
const failingVariable = "OPERATORTEST_FAILING"

// TestFailing fails, in a process that expectFailure starts.
func TestFailing(t *testing.T) {
	switch name, detail, _ := strings.Cut(os.Getenv(failingVariable), "/"); name {
	case "":
		t.Skip("it has to fail: expectFailure runs it")
	case "hot loop":
		hotLoop(t, detail)
	case "untruth":
		untruth(t, detail)
	case "roles":
		lackRights(t)
	case "held":
		heldByFinalize(t)
	case "response beside the error":
		responseBesideTheError(t)
	case "fault":
		failWithFaults(t)
	case "lie":
		exploreALie(t)
	case "failure":
		exploreAFailure(t)
	case "never fails":
		makeFailedWhatNeverFails(t)
	case "memory":
		exploreAMemory(t)
	case "kubelet":
		exploreWithKubelet(t)
	case "replay":
		operatortest.Explore(t, ledgerConfig(copyOut), ledgerLife())
	case "too long":
		waitTooLong(t)
	case "accepted":
		refuseWhatIsAccepted(t)
	case "admission everywhere":
		admissionEverywhere(t)
	default:
		t.Fatalf("there is no failing test %q", name)
	}
}

// patienceOf says how long failing tests wait that wait for nothing else.
var patienceOf = map[string]string{"too long": "3s"}

// expectFailure runs a failing test and requires that its output says something.
// It returns the output.
func expectFailure(t *testing.T, name string, says ...string) string {
	t.Helper()
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFailing$", "-test.timeout=3m")
	command.Env = append(os.Environ(), failingVariable+"="+name, "OPGEN_TEST_PATIENCE="+patienceOf[name], "OPGEN_TEST_KEEP_NAMESPACES=") // it waits for nothing
	output, err := command.CombinedOutput()
	text := strings.ReplaceAll(string(output), "\n        ", "\n")
	if err == nil {
		t.Fatalf("the test has passed:\n%s", text)
	}
	for _, part := range says {
		if !strings.Contains(text, part) {
			t.Errorf("the message does not say %q:\n%s", part, text)
		}
	}
	if testing.Verbose() {
		t.Log(text)
	}
	return text
}
