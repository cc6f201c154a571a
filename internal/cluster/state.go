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

// DefaultName is the name of the instance if a command gives none.
const DefaultName = "default"

// StateDir is the directory of a user's instances, with a subdirectory for each.
type StateDir struct {
	Dir string
}

// DefaultStateDir is $OPGEN_STATE, or else "opgen" in $XDG_STATE_HOME or ~/.local/state.
func DefaultStateDir() (StateDir, error) {
	dir := os.Getenv("OPGEN_STATE")
	if dir == "" {
		base := os.Getenv("XDG_STATE_HOME")
		if base == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return StateDir{}, fmt.Errorf("find a directory for instances (set OPGEN_STATE to choose one): %w", err)
			}
			base = filepath.Join(home, ".local", "state")
		}
		dir = filepath.Join(base, "opgen")
	}
	dir, err := filepath.Abs(dir)
	return StateDir{Dir: dir}, err
}

var validName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

// CheckName returns an error if an instance cannot have the name.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("invalid cluster name %q: use up to 40 lower-case letters, digits and dashes", name)
	}
	return nil
}

// clustersDir has a directory and a lock file for each instance.
func (s StateDir) clustersDir() string          { return filepath.Join(s.Dir, "clusters") }
func (s StateDir) instanceDir(n string) string  { return filepath.Join(s.clustersDir(), n) }
func (s StateDir) instanceLock(n string) string { return filepath.Join(s.clustersDir(), n+".lock") }

const recordFile = "instance.json"

// Instance is one control plane, as recorded in its directory.
type Instance struct {
	Name      string    `json:"name"`
	Version   string    `json:"version"` // of Kubernetes
	Dir       string    `json:"dir"`
	Assets    string    `json:"assets"` // directory of the executables
	Server    string    `json:"server"` // URL of the API server
	StartedAt time.Time `json:"startedAt"`
	Processes []Process `json:"processes"`

	Node *NodeRecord `json:"node,omitempty"` // nil without a node
}

// Kubeconfig is the path of a kubeconfig with all rights.
func (i *Instance) Kubeconfig() string { return filepath.Join(i.Dir, "kubeconfig") }

// AuditLog is the path of the audit log: one JSON event a line, one for each request to a resource.
func (i *Instance) AuditLog() string { return filepath.Join(i.Dir, "audit.log") }

// Log is the path of the output of one of its processes.
func (i *Instance) Log(process string) string { return filepath.Join(i.Dir, process+".log") }

// KubectlCache is the directory where kubectl caches what it learns of the API server.
func (i *Instance) KubectlCache() string { return i.filePath("kubectl-cache") }

func (i *Instance) filePath(name string) string { return filepath.Join(i.Dir, name) }

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
	return i.Node != nil || slices.ContainsFunc(i.Processes, func(p Process) bool { return p.Name == controllerManager })
}

// deadProcesses returns the names of the processes that do not run.
func (i *Instance) deadProcesses() []string {
	var names []string
	for _, p := range i.Processes {
		if !p.Running() {
			names = append(names, p.Name)
		}
	}
	return names
}

// save writes the record. It replaces the file as a whole, so that a reader never sees a part of
// it.
func (i *Instance) save() error {
	data, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	fresh := i.filePath(recordFile + ".new")
	if err := os.WriteFile(fresh, data, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, i.filePath(recordFile))
}

// errForeignFolder is the error that a folder in the place of an instance is somebody else's.
var errForeignFolder = errors.New("it has other files than those of an instance\n    move it away, or set OPGEN_STATE to another directory")

// loadInstance returns the instance with a name, and nil if there is none. An instance whose start died
// before its first record was saved has no files, and no processes. It returns errForeignFolder,
// wrapped, if a folder has files and no record.
func (s StateDir) loadInstance(name string) (*Instance, error) {
	dir := s.instanceDir(name)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := checkOwn(dir, info); err != nil {
		return nil, err
	}
	instance := &Instance{Name: name, Dir: dir}
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		if err := checkUnrecorded(dir); err != nil {
			return nil, err
		}
		return instance, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, instance); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, recordFile), err)
	}
	instance.Dir = dir // the state directory may have been moved since
	return instance, nil
}

// checkUnrecorded returns an error if a folder without a record has other files than a start leaves
// that died before its first record.
func checkUnrecorded(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() != recordFile+".new" {
			return fmt.Errorf("%s: %w", dir, errForeignFolder)
		}
	}
	return nil
}

// checkOwn returns an error if another user may have written the record in the directory of an instance. It names processes
// to end and programs to run. root may have: an instance with a node is root's.
func checkOwn(dir string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("the directory of an instance, %s, is a symbolic link: remove it", dir)
	}
	if owner := ownerOf(info); owner != 0 && owner != os.Geteuid() {
		return fmt.Errorf("the instance in %s belongs to the user %d: run the command as that user", dir, owner)
	}
	return nil
}

// makeFolder makes the folder of the instance, with a record as its first file: a folder without one
// is somebody else's.
func (i *Instance) makeFolder() error {
	if err := os.MkdirAll(i.Dir, 0o700); err != nil {
		return err
	}
	return i.save()
}

// instanceNames lists the instances, sorted.
func (s StateDir) instanceNames() ([]string, error) {
	entries, err := os.ReadDir(s.clustersDir())
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
