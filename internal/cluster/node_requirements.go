package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// requirements are what a node takes from the system.
type requirements struct {
	runc    string
	plugins string // directory of CNI plugins
}

// systemPath has the directories that a user's PATH may lack.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// pluginDirectories are where Debian, Fedora and the project itself install the CNI plugins.
func pluginDirectories() []string {
	return []string{"/usr/lib/cni", "/usr/libexec/cni", "/opt/cni/bin"}
}

func checkNodeSystem() error {
	if runtime.GOOS != "linux" {
		return errors.New("a node needs Linux: without --node, `opgen cluster up` starts a control plane alone; KUBECONFIG names a cluster with nodes elsewhere")
	}
	return nil
}

// CheckNode returns an error if this machine or this user cannot run a node, with what to do about it.
func CheckNode() error {
	if err := checkNodeSystem(); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("a node needs root: build its parts as you are with `opgen cluster up --node --build-only`,\n" +
			"    then start it with `sudo opgen cluster up --node --assets DIR`, where DIR is the directory that the build names")
	}
	_, err := findRequirements()
	return err
}

// findRequirements returns what a node takes from this machine.
func findRequirements() (requirements, error) {
	return system{path: systemPath, plugins: pluginDirectories()}.findRequirements()
}

// system says where programs are installed.
type system struct {
	path    string   // directories that a user's PATH may lack
	plugins []string // directories of CNI plugins
}

// findRequirements returns what a node takes from the system, or an error that names all that is missing and the
// packages that have it.
func (s system) findRequirements() (requirements, error) {
	found := requirements{runc: s.findCommand("runc"), plugins: s.findPlugins()}
	var missing []string
	if found.runc == "" {
		missing = append(missing, "runc")
	}
	if found.plugins == "" {
		missing = append(missing, "the CNI plugins "+strings.Join(cniPlugins(), ", "))
	}
	if s.findCommand("iptables") == "" || s.findCommand("iptables-restore") == "" {
		missing = append(missing, "iptables")
	}
	if len(missing) == 0 {
		return found, nil
	}
	return found, fmt.Errorf("a node needs programs that are not installed: %s\n"+
		"    Debian, Ubuntu: apt-get install runc containernetworking-plugins iptables\n"+
		"    Fedora: dnf install runc containernetworking-plugins iptables-nft", strings.Join(missing, "; "))
}

// findCommand returns the path of a program on the PATH or in a directory of the system, empty if there is none.
func (s system) findCommand(name string) string {
	if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
		return path
	}
	for _, dir := range filepath.SplitList(s.path) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

func (s system) findPlugins() string {
	for _, dir := range s.plugins {
		if len((Assets{Dir: dir}).missingOf(cniPlugins()...)) == 0 {
			return dir
		}
	}
	return ""
}

func cniPlugins() []string { return []string{"ptp", "host-local", "portmap"} }
