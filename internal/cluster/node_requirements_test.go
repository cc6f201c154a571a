package cluster

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestCheckNodeSaysWhatToDo(t *testing.T) {
	err := CheckNode()
	switch {
	case runtime.GOOS != "linux":
		if err == nil || !strings.Contains(err.Error(), "needs Linux") {
			t.Errorf("CheckNode = %v", err)
		}
	case os.Geteuid() != 0:
		if err == nil || !strings.Contains(err.Error(), "opgen cluster up --node --build-only") {
			t.Errorf("CheckNode = %v", err)
		}
	case err != nil && !strings.Contains(err.Error(), "apt-get install runc containernetworking-plugins iptables"):
		t.Errorf("CheckNode = %v", err)
	}
}

func TestMissingRequirementsAreNamedTogether(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := system{path: t.TempDir(), plugins: []string{t.TempDir()}}.findRequirements()
	for _, word := range []string{"runc; the CNI plugins ptp, host-local, portmap; iptables\n", "apt-get install", "dnf install"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("got %v, expected it to name %s", err, word)
		}
	}
}
