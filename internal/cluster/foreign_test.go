//go:build linux || darwin

package cluster

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The record of an instance names processes that are ended and programs that are run: that of another user, or behind a
// link, is not taken.
func TestInstancesOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, dir, outside string)
		want    string
	}{
		"of another user": {func(t *testing.T, dir, _ string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a directory to another user")
			}
			if err := os.Chown(dir, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}, "belongs to the user 65534: run the command as that user"},
		"behind a link": {func(t *testing.T, dir, outside string) {
			if err := os.Rename(dir, outside); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, dir); err != nil {
				t.Fatal(err)
			}
		}, "is a symbolic link: remove it"},
	} {
		t.Run(name, func(t *testing.T) {
			state := StateDir{Dir: t.TempDir()}
			dir, outside := state.instanceDir("theirs"), filepath.Join(t.TempDir(), "outside")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			running := exec.CommandContext(t.Context(), "sleep", "600")
			if err := running.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = running.Process.Kill(); _ = running.Wait() }()
			pid := running.Process.Pid
			record, err := json.Marshal(Instance{Name: "theirs", Assets: outside, Processes: []Process{{Name: "etcd", PID: pid, Start: startTime(pid)}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, recordFile), record, 0o600); err != nil {
				t.Fatal(err)
			}
			test.prepare(t, dir, outside)
			_, err = Find(state, "theirs")
			expectError(t, "Find", err, test.want)
			_, err = Up(t.Context(), Options{Name: "theirs", State: state, Assets: Assets{Dir: outside, Version: "v1.0.0"}})
			expectError(t, "Up", err, test.want)
			_, err = Down(t.Context(), state, "theirs")
			expectError(t, "Down", err, test.want)
			if !(Process{PID: pid, Start: startTime(pid)}).Running() {
				t.Error("the process that the record names has ended")
			}
			if _, err := os.Stat(filepath.Join(dir, recordFile)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLockOfAnInstanceIsNoLink(t *testing.T) {
	state := StateDir{Dir: t.TempDir()}
	if err := os.MkdirAll(state.clustersDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, state.instanceLock("some")); err != nil {
		t.Fatal(err)
	}
	_, err := state.lockInstance(t.Context(), "some")
	expectError(t, "lock", err, "some.lock: too many levels of symbolic links")
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file outside was created")
	}
}

func expectError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: the error is %v, want %q in it", what, err, want)
	}
}
