package cluster

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for name, valid := range map[string]bool{
		"default": true, "a": true, "test-123": true,
		"": false, "A": false, "-a": false, "a-": false, "a/b": false, "..": false, "a.lock": false, "é": false,
		"a234567890123456789012345678901234567890x": false,
	} {
		if err := CheckName(name); (err == nil) != valid {
			t.Errorf("CheckName(%q) = %v", name, err)
		}
	}
}

func TestProcessIsKnownByItsStart(t *testing.T) {
	self := os.Getpid()
	for _, test := range []struct {
		name    string
		process Process
		running bool
	}{
		{"this one", Process{PID: self, Start: startTime(self)}, true},
		{"an earlier one with the same pid", Process{PID: self, Start: "another boot/1"}, false},
		{"one whose start is not known", Process{PID: self}, false},
		{"none", Process{}, false},
	} {
		if got := test.process.Running(); got != test.running {
			t.Errorf("%s: Running() = %t", test.name, got)
		}
	}
}

func TestStateOfWhatAnInterruptedStartLeft(t *testing.T) {
	state := StateDir{Dir: t.TempDir()}
	if err := os.MkdirAll(state.instanceDir("half"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, err := List(state)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Name != "half" || list[0].State != StateDead {
		t.Errorf("List = %+v, expected the dead instance half", list)
	}
	if found, err := FindByKubeconfig(state, list[0].Kubeconfig()); err != nil || found == nil || found.Name != "half" {
		t.Errorf("FindByKubeconfig = %+v, %v, expected the instance half", found, err)
	}
	if found, err := FindByKubeconfig(state, "/elsewhere/kubeconfig"); err != nil || found != nil {
		t.Errorf("FindByKubeconfig = %+v, %v, expected none", found, err)
	}
	if _, err := Find(state, "half"); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Find = %v, expected ErrNotRunning", err)
	}
	if existed, err := Down(t.Context(), state, "half"); err != nil || !existed {
		t.Errorf("Down = %t, %v", existed, err)
	}
	expectEmpty(t, state.clustersDir())
}

func TestStaleRecordKillsNobody(t *testing.T) {
	state := StateDir{Dir: t.TempDir()}
	stale := &Instance{Name: "stale", Dir: state.instanceDir("stale"), Processes: []Process{{Name: etcd, PID: os.Getpid(), Start: "before the reboot/7"}}}
	if err := os.MkdirAll(stale.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := stale.save(); err != nil {
		t.Fatal(err)
	}
	if existed, err := Down(t.Context(), state, "stale"); err != nil || !existed {
		t.Fatalf("Down = %t, %v", existed, err)
	}
	expectEmpty(t, state.clustersDir()) // and this process, which has the recorded pid, is still here to say so
}

func TestDownOfNothing(t *testing.T) {
	if existed, err := Down(t.Context(), StateDir{Dir: filepath.Join(t.TempDir(), "absent")}, "default"); existed || err != nil {
		t.Errorf("Down = %t, %v", existed, err)
	}
}

// expectEmpty fails when a directory has anything in it.
func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("%s is left in %s", entry.Name(), dir)
	}
}

// Each Service takes an address; the first one is the API server's own.
func TestServicesHaveAddresses(t *testing.T) {
	network := netip.MustParsePrefix(serviceRange)
	if first := netip.MustParseAddr("10.0.0.1"); network.Addr().Next() != first {
		t.Errorf("the first address of %s is not the one in the certificate, %s", network, first)
	}
	const services = 60_000
	if room := 1 << (32 - network.Bits()); room < services {
		t.Errorf("%s has room for %d Services, want %d", network, room, services)
	}
}

// $OPGEN_STATE may be a folder in which somebody has folders of their own: one without a record is none of opgen's.
func TestFoldersOfOthersStay(t *testing.T) {
	state := StateDir{Dir: t.TempDir()}
	theirs := filepath.Join(state.instanceDir("berlin"), "thesis.txt")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte("all of it"), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err := List(state); err != nil || len(list) > 0 {
		t.Errorf("List = %+v, %v, expected none", list, err)
	}
	const expected = "berlin: it has other files than those of an instance\n    move it away, or set OPGEN_STATE to another directory"
	if _, err := Down(t.Context(), state, "berlin"); err == nil || !strings.Contains(err.Error(), expected) {
		t.Errorf("Down = %v, expected an error", err)
	}
	if _, err := replaceOrStart(t.Context(), Options{State: state, Name: "berlin"}, Assets{}); err == nil || !strings.Contains(err.Error(), expected) {
		t.Errorf("replaceOrStart = %v, expected an error", err)
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
}

// A start that dies leaves a record as soon as it leaves files.
func TestInterruptedStartLeavesARecord(t *testing.T) {
	state := StateDir{Dir: t.TempDir()}
	instance := &Instance{Name: "half", Dir: state.instanceDir("half")}
	if err := instance.makeFolder(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(instance.filePath("some.key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if existed, err := Down(t.Context(), state, "half"); err != nil || !existed {
		t.Errorf("Down = %t, %v", existed, err)
	}
	if err := os.MkdirAll(instance.Dir, 0o700); err != nil { // killed in the middle of the first record
		t.Fatal(err)
	}
	if err := os.WriteFile(instance.filePath(recordFile+".new"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if existed, err := Down(t.Context(), state, "half"); err != nil || !existed {
		t.Errorf("Down = %t, %v", existed, err)
	}
	expectEmpty(t, state.clustersDir())
}
