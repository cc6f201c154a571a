package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"time"
)

// DefaultName is the instance that commands mean when they are told no name.
const DefaultName = "default"

// State is the directory that holds the instances of a user, one directory each.
type State struct {
	Dir string
}

// DefaultState is $OPGEN_STATE or, when that is not set, "opgen" in $XDG_STATE_HOME or ~/.local/state.
func DefaultState() (State, error) {
	dir := os.Getenv("OPGEN_STATE")
	if dir == "" {
		base := os.Getenv("XDG_STATE_HOME")
		if base == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return State{}, fmt.Errorf("find a directory for instances (set OPGEN_STATE to choose one): %w", err)
			}
			base = filepath.Join(home, ".local", "state")
		}
		dir = filepath.Join(base, "opgen")
	}
	dir, err := filepath.Abs(dir)
	return State{Dir: dir}, err
}

var validName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

// CheckName tells what is wrong with the name of an instance, if anything is.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("invalid cluster name %q: use up to 40 lower-case letters, digits and dashes", name)
	}
	return nil
}

func (s State) clusters() string             { return filepath.Join(s.Dir, "clusters") }
func (s State) instanceDir(n string) string  { return filepath.Join(s.clusters(), n) }
func (s State) instanceLock(n string) string { return filepath.Join(s.clusters(), n+".lock") }

const recordFile = "instance.json"

// Instance is one control plane, as it is on record in its directory.
type Instance struct {
	Name      string    `json:"name"`
	Version   string    `json:"version"` // of Kubernetes
	Dir       string    `json:"dir"`
	Assets    string    `json:"assets"` // directory of the executables
	Server    string    `json:"server"` // URL of the API server
	StartedAt time.Time `json:"startedAt"`
	Processes []Process `json:"processes"`
}

// Kubeconfig is the path of a kubeconfig with all rights.
func (i *Instance) Kubeconfig() string { return filepath.Join(i.Dir, "kubeconfig") }

// AuditLog is the path of the audit log: one JSON event a line, one for each request to a resource.
func (i *Instance) AuditLog() string { return filepath.Join(i.Dir, "audit.log") }

// Log is the path of the output of one of its processes.
func (i *Instance) Log(process string) string { return filepath.Join(i.Dir, process+".log") }

// KubectlCache is the directory in which kubectl keeps what it learns of the API server.
func (i *Instance) KubectlCache() string { return i.file("kubectl-cache") }

func (i *Instance) file(name string) string { return filepath.Join(i.Dir, name) }

// Running reports whether every process of the instance runs.
func (i *Instance) Running() bool {
	for _, p := range i.Processes {
		if !p.Running() {
			return false
		}
	}
	return len(i.Processes) > 0
}

// HasControllers reports whether the instance was started with a kube-controller-manager.
func (i *Instance) HasControllers() bool {
	return slices.ContainsFunc(i.Processes, func(p Process) bool { return p.Name == controllerManager })
}

// deadProcesses names the processes that do not run.
func (i *Instance) deadProcesses() []string {
	var names []string
	for _, p := range i.Processes {
		if !p.Running() {
			names = append(names, p.Name)
		}
	}
	return names
}

// save puts the instance on record, whole or not at all.
func (i *Instance) save() error {
	data, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	fresh := i.file(recordFile + ".new")
	if err := os.WriteFile(fresh, data, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, i.file(recordFile))
}

// load returns the instance of that name, nil when nothing of it exists. An instance that died before it was put on
// record has no processes.
func (s State) load(name string) (*Instance, error) {
	dir := s.instanceDir(name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	instance := &Instance{Name: name, Dir: dir}
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return instance, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, instance); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, recordFile), err)
	}
	instance.Dir = dir // where it is now, should the state directory have moved
	return instance, nil
}

// names lists the instances, sorted.
func (s State) names() ([]string, error) {
	entries, err := os.ReadDir(s.clusters())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && CheckName(entry.Name()) == nil {
			names = append(names, entry.Name())
		}
	}
	sort.Strings(names)
	return names, nil
}
