package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// Without a home, commands of the local Kubernetes say what to set.
func TestClusterWithoutHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "OPGEN_CACHE", "OPGEN_STATE", assetsVariable} {
		t.Setenv(name, "")
	}
	for _, line := range []string{"cluster up", "cluster down", "cluster env", "cluster status"} {
		code, _, message := commandLine(strings.Fields(line)...)
		if code != exitTrouble || !strings.Contains(message, "set OPGEN_") {
			t.Errorf("%s: %d, %s", line, code, message)
		}
	}
}

// On a file system that cannot be written to, a cluster does not start, and says what to set.
func TestClusterOnAReadOnlyFileSystem(t *testing.T) {
	mounted := mountTemp(t, "size=1m")
	if err := unix.Mount("", mounted, "", unix.MS_REMOUNT|unix.MS_RDONLY, "size=1m"); err != nil {
		t.Fatal(err)
	}
	t.Setenv(assetsVariable, "")
	for _, variable := range []string{"OPGEN_STATE", "OPGEN_CACHE"} {
		t.Setenv("OPGEN_STATE", t.TempDir())
		t.Setenv("OPGEN_CACHE", t.TempDir())
		t.Setenv(variable, filepath.Join(mounted, "opgen"))
		code, _, message := commandLine("cluster", "up")
		if want := "read-only file system: set " + variable + " to a directory that can be written"; code != exitTrouble || !strings.Contains(message, want) {
			t.Errorf("%s: %d, %s", variable, code, message)
		}
		if code, _, message := commandLine("cluster", "down"); code != exitDone {
			t.Errorf("down: %d, %s", code, message)
		}
	}
}

// With a full disk, a cluster does not start, says so in one line, and leaves nothing. Once there is space, it starts.
func TestClusterOnAFullDisk(t *testing.T) {
	longtest.Skip(t, "it starts control planes, and builds one on first use")
	mounted := mountTemp(t, "size=512m")
	state := filepath.Join(mounted, "state")
	t.Setenv("OPGEN_STATE", state)
	t.Setenv("KUBECONFIG", "")
	t.Setenv(assetsVariable, "")
	defer commandLine("cluster", "down")
	for _, free := range []int64{0, 16, 128, 20 << 10} { // nothing, and less than the certificates, than a log, than the data of etcd
		filler := filepath.Join(mounted, "filler")
		fillDisk(t, filler, free<<10)
		code, _, message := commandLine("cluster", "up")
		if code != exitTrouble || !strings.Contains(message, "no space left") || strings.Count(strings.TrimSpace(message), "\n") > 2 {
			t.Errorf("%d KiB free: %d, %s", free, code, message)
		}
		if left, err := filepath.Glob(filepath.Join(state, "clusters", "*")); err != nil || len(left) > 0 {
			t.Errorf("%d KiB free: %s is left, %v", free, left, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, message := commandLine("cluster", "up"); code != exitDone {
		t.Errorf("once there is space: %d, %s", code, message)
	}
	if code, _, message := commandLine("cluster", "down"); code != exitDone {
		t.Errorf("down: %d, %s", code, message)
	}
}
