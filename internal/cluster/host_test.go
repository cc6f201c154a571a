//go:build linux

package cluster

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// host is what a node must leave as it was: by kind, the things of it, one a line.
type host map[string]string

// hostState reads the host, except for files, which are those below a directory.
func hostState(t *testing.T, directory string) host {
	t.Helper()
	state := host{
		"mounts":         readMounts(t),
		"interfaces":     strings.Join(names(t, "/sys/class/net"), "\n"),
		"firewall rules": firewallRules(),
		"cgroups":        ownCgroups(t, directory),
		"sysctls":        readSysctls(t),
		"files":          listDirectories(t, directory),
	}
	if modules, err := os.ReadFile("/proc/modules"); err == nil {
		state["kernel modules"] = firstWords(string(modules))
	}
	return state
}

// expectSameHost compares two states of the host.
func expectSameHost(t *testing.T, before, after host) {
	t.Helper()
	for _, kind := range slices.Sorted(maps.Keys(before)) {
		old, fresh := strings.Split(before[kind], "\n"), strings.Split(after[kind], "\n")
		for _, line := range fresh {
			if !slices.Contains(old, line) {
				t.Errorf("%s: there is now %s", kind, line)
			}
		}
		for _, line := range old {
			if !slices.Contains(fresh, line) {
				t.Errorf("%s: there was before %s", kind, line)
			}
		}
	}
}

// readMounts returns the mounts without the two fields that number them.
func readMounts(t *testing.T) string {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.Join(strings.Fields(line)[2:], " "))
	}
	return strings.Join(lines, "\n")
}

func names(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

// firewallRules returns the rules without their counters and comments. A program that is not installed has none.
func firewallRules() string {
	var lines []string
	for _, command := range []string{"iptables-save", "ip6tables-save"} {
		output, _ := exec.Command(command).Output()
		for line := range strings.Lines(string(output)) {
			if !strings.HasPrefix(line, "#") {
				line, _, _ := strings.Cut(line, " [")
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	}
	output, _ := exec.Command("nft", "--stateless", "list", "ruleset").Output()
	return strings.Join(lines, "\n") + string(output)
}

// ownCgroups returns the cgroups of the tests' instances, and the top level of each hierarchy. Others come and go below
// it: those of sessions, and of nodes that somebody else starts.
func ownCgroups(t *testing.T, state string) string {
	var lines []string
	for path := range strings.Lines(listDirectories(t, "/sys/fs/cgroup")) {
		_, name, found := strings.Cut(strings.TrimSpace(path), "/opgen-")
		if found && ownsCgroup(state, name) || !found && strings.Count(path, "/") <= strings.Count("/sys/fs/cgroup/cpu/top", "/") {
			lines = append(lines, strings.TrimSpace(path))
		}
	}
	return strings.Join(lines, "\n")
}

// ownsCgroup reports whether a cgroup is that of an instance with one of the names that the tests use.
func ownsCgroup(state, path string) bool {
	name, _, _ := strings.Cut(path, "/")
	for _, instance := range []string{"node", "killed"} {
		dir := StateDir{Dir: state}.instanceDir(instance)
		if "opgen-"+name == newNodeRecord(instance, dir, ports{}).Cgroup {
			return true
		}
	}
	return false
}

func listDirectories(t *testing.T, root string) string {
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			paths = append(paths, path)
		}
		return nil // one that another program has removed meanwhile
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(paths, "\n")
}

// counters are files below /proc/sys that show what happens rather than what is set.
func counters() []string {
	return []string{"random", "fs", "dentry", "inode", "nr", "pid", "count", "stat", "sched", "ns_last", "numa"}
}

func readSysctls(t *testing.T) string {
	var lines []string
	for _, root := range []string{"/proc/sys/kernel", "/proc/sys/net", "/proc/sys/vm"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // a directory that nobody may read says nothing
			}
			if entry.IsDir() || slices.ContainsFunc(counters(), func(word string) bool { return strings.Contains(path, word) }) {
				return nil
			}
			if value, err := os.ReadFile(path); err == nil {
				lines = append(lines, path+" = "+strings.TrimSpace(string(value)))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(lines, "\n")
}

// pidNamespace identifies the PID namespace of a process.
func pidNamespace(pid int) string {
	target, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "ns", "pid"))
	return target
}

// processesOf returns the pids of the processes in a PID namespace.
func processesOf(t *testing.T, namespace string) []string {
	t.Helper()
	if namespace == "" {
		t.Fatal("the supervisor does not run")
	}
	var pids []string
	for _, name := range names(t, "/proc") {
		if pid, err := strconv.Atoi(name); err == nil && pidNamespace(pid) == namespace {
			pids = append(pids, name)
		}
	}
	return pids
}

func firstWords(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		words = append(words, strings.Fields(line)[0])
	}
	return strings.Join(words, "\n")
}
