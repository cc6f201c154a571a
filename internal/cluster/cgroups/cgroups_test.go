package cgroups

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseMounts(t *testing.T) {
	const (
		disk = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
		cpu  = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
		v2   = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
		root = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
		part = "50 31 0:29 /docker/1 /mnt/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	)
	for _, test := range []struct {
		name, table string
		expected    []hierarchy
		unified     bool
	}{
		{"v1 beside v2", disk + cpu + v2, []hierarchy{{"/sys/fs/cgroup/cpu,cpuacct", false}, {"/sys/fs/cgroup/unified", true}}, false},
		{"v2", disk + root, []hierarchy{{"/sys/fs/cgroup", true}}, true},
		{"a part of a hierarchy is mounted elsewhere", cpu + part, []hierarchy{{"/sys/fs/cgroup/cpu,cpuacct", false}}, false},
		{"none", disk, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Cgroup{hierarchies: parseMounts(test.table)}
			if !slices.Equal(got.hierarchies, test.expected) || got.IsUnified() != test.unified {
				t.Errorf("got %+v, unified %t", got.hierarchies, got.IsUnified())
			}
		})
	}
}

func TestCreateSaysWhatIsMissing(t *testing.T) {
	root := t.TempDir()
	fresh := Cgroup{Name: "opgen-test", hierarchies: []hierarchy{{root, true}}}
	dir := filepath.Join(root, fresh.Name)
	if err := os.Mkdir(dir, 0o755); err != nil { // the kernel would fill it
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cgroup.controllers"), []byte("cpu pids\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := fresh.Create()
	if err == nil || !strings.Contains(err.Error(), "does not pass on the controllers memory: enable them in "+root) {
		t.Errorf("Create = %v", err)
	}
	if err := (Cgroup{}).Create(); err == nil || !strings.Contains(err.Error(), "no cgroup") {
		t.Errorf("Create without cgroups = %v", err)
	}
}

func TestInheritCPUs(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "child")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"cpuset.cpus": "0-1\n", "cpuset.mems": "0\n", "child/cpuset.cpus": "\n", "child/cpuset.mems": "\n"} {
		if err := os.WriteFile(filepath.Join(parent, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := inheritCPUs(parent, dir); err != nil {
		t.Fatal(err)
	}
	if cpus, err := os.ReadFile(filepath.Join(dir, "cpuset.cpus")); err != nil || string(cpus) != "0-1\n" {
		t.Errorf("got %q, %v", cpus, err)
	}
}

func TestRemoveTakesTheTree(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "opgen-test", "k8s.io", "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := Cgroup{Name: "opgen-test", hierarchies: []hierarchy{{root, false}}}
	for range 2 { // the second finds nothing
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}
