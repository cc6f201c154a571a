package operatortest_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// failWithFaults fails in two subtests, each with a fault.
func failWithFaults(t *testing.T) {
	for _, line := range []string{"patch ledgers/status 1 after lost", "patch ledgers/status 1 after 500 once"} {
		t.Run(line, func(t *testing.T) {
			fault, err := operatortest.ParseFault(line)
			if err != nil {
				t.Fatal(err)
			}
			cluster := operatortest.Start(t, ledgerConfig(copyOut))
			cluster.Inject(fault)
			t.Error("this goes wrong")
		})
	}
}

func TestAFailurePrintsItsFaultsAndHowToRunItAgain(t *testing.T) {
	const again = `run it again: go test -run '^TestFailing$/^patch_ledgers$/^status_1_after_lost$'`
	output := expectFailure(t, "fault", `fault "patch ledgers/status 1 after lost" struck 0 times`, again)
	if strings.Contains(output, "Starting EventSource") {
		t.Errorf("the log of the manager drowns the failure:\n%s", output)
	}
	pattern := regexp.MustCompile(`go test -run '(.*)'`).FindStringSubmatch(output)
	if pattern == nil {
		t.Fatal("there is no line to run")
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=1m", "-test.run="+pattern[1])
	command.Env = append(os.Environ(), failingVariable+"=fault")
	text, _ := command.CombinedOutput() // it fails again
	if failed := strings.Count(string(text), "this goes wrong"); failed != 1 || !strings.Contains(string(text), "--- FAIL: TestFailing/patch_ledgers/status_1_after_lost") {
		t.Errorf("%d tests ran:\n%s", failed, text)
	}
}
