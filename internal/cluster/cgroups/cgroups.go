// Package cgroups makes a cgroup of its own for an instance, in every hierarchy that the machine has, and removes it
// with all below it. It changes no cgroup that exists, and knows cgroup v1, v2, and both side by side.
package cgroups

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cgroup is a directory of one name at the root of each hierarchy.
type Cgroup struct {
	Name        string
	hierarchies []hierarchy
}

// hierarchy is where a cgroup file system is mounted.
type hierarchy struct {
	path    string
	unified bool // cgroup v2
}

// mountTable lists the mounts of this process.
const mountTable = "/proc/self/mountinfo"

// Find returns the cgroup with a name, whether it exists or not.
func Find(name string) (Cgroup, error) {
	data, err := os.ReadFile(mountTable)
	if err != nil {
		return Cgroup{}, err
	}
	return Cgroup{Name: name, hierarchies: parseMounts(string(data))}, nil
}

// parseMounts returns the hierarchies of cgroups in a mount table.
func parseMounts(table string) []hierarchy {
	var list []hierarchy
	for line := range strings.Lines(table) {
		mount, system, _ := strings.Cut(line, " - ")
		left, right := strings.Fields(mount), strings.Fields(system)
		const root, point = 3, 4
		if len(left) <= point || len(right) == 0 || left[root] != "/" {
			continue
		}
		if kind := right[0]; kind == "cgroup" || kind == "cgroup2" {
			list = append(list, hierarchy{path: left[point], unified: kind == "cgroup2"})
		}
	}
	return list
}

// IsUnified reports whether cgroup v2 is the only version, so that its hierarchy has all controllers.
func (c Cgroup) IsUnified() bool { return len(c.hierarchies) == 1 && c.hierarchies[0].unified }

// Create makes the cgroup. It returns an error if the machine has none, or lacks controllers that a node needs.
func (c Cgroup) Create() error {
	if len(c.hierarchies) == 0 {
		return errors.New("no cgroup file system is mounted")
	}
	for _, h := range c.hierarchies {
		dir := filepath.Join(h.path, c.Name)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make a cgroup: %w", err)
		}
		if err := inheritCPUs(h.path, dir); err != nil {
			return err
		}
	}
	if c.IsUnified() {
		return checkControllers(filepath.Join(c.hierarchies[0].path, c.Name))
	}
	return nil
}

// inheritCPUs copies the processors and memory nodes of a parent in cpuset of cgroup v1. A fresh cgroup has none, and
// takes no process.
func inheritCPUs(parent, dir string) error {
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		own, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.TrimSpace(string(own)) != "" {
			continue // another controller, or cgroup v2, where an empty one inherits
		}
		value, err := os.ReadFile(filepath.Join(parent, name))
		if err != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), value, 0o644); err != nil {
			return fmt.Errorf("set up a cgroup: %w", err)
		}
	}
	return nil
}

// checkControllers checks that the root of cgroup v2 passes on the controllers that kubelet needs.
func checkControllers(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	passed := strings.Fields(string(data))
	var missing []string
	for _, name := range []string{"cpu", "memory", "pids"} {
		if !slices.Contains(passed, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the root of cgroup v2 does not pass on the controllers %s: enable them in %s/cgroup.subtree_control",
			strings.Join(missing, ", "), filepath.Dir(dir))
	}
	return nil
}

// Join moves a process into the cgroup.
func (c Cgroup) Join(pid int) error {
	for _, h := range c.hierarchies {
		file := filepath.Join(h.path, c.Name, "cgroup.procs")
		if err := os.WriteFile(file, []byte(strconv.Itoa(pid)), 0o644); err != nil {
			return fmt.Errorf("move a process into its cgroup: %w", err)
		}
	}
	return nil
}

// Remove removes the cgroup and those below it, from which the kernel may still be taking the last processes that
// have ended. It does nothing where there is none.
func (c Cgroup) Remove() error {
	var err error
	for range 100 {
		if err = c.removeOnce(); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("remove a cgroup: %w", err)
}

func (c Cgroup) removeOnce() error {
	var errs []error
	for _, h := range c.hierarchies {
		errs = append(errs, removeTree(filepath.Join(h.path, c.Name)))
	}
	return errors.Join(errs...)
}

// removeTree removes directories alone: the files of a cgroup go with it.
func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeTree(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(dir)
}
