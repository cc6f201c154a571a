package cluster

import (
	"errors"
	"fmt"
)

// The states of an instance.
const (
	StateRunning = "running" // every process runs
	StateBroken  = "broken"  // some run
	StateDead    = "dead"    // none runs: it was killed, or the machine was restarted
)

// Status is an instance as it is now.
type Status struct {
	*Instance
	State  string           `json:"state"`       // StateRunning, StateBroken or StateDead
	Memory map[string]int64 `json:"memoryBytes"` // resident, by the name of each process that runs
}

// List returns every instance, sorted by name.
func List(state StateDir) ([]Status, error) {
	names, err := state.instanceNames()
	if err != nil {
		return nil, err
	}
	list := []Status{}
	for _, name := range names {
		instance, err := state.loadInstance(name)
		if errors.Is(err, errForeignFolder) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if instance != nil {
			list = append(list, instance.status())
		}
	}
	return list, nil
}

func (i *Instance) status() Status {
	status := Status{Instance: i, State: StateDead, Memory: map[string]int64{}}
	if i.Node != nil && i.Running() {
		i.Processes = append(i.Processes, nodeProcesses(i.Processes[0], nodeProgramNames())...)
	}
	for _, p := range i.Processes {
		if p.Running() {
			status.State = StateBroken
			status.Memory[p.Name] = residentMemory(p.PID)
		}
	}
	if i.Running() {
		status.State = StateRunning
	}
	return status
}

// ErrNotRunning is what Find returns, wrapped, when the instance does not run.
var ErrNotRunning = errors.New("not running")

// Find returns the running instance with a name. It returns ErrNotRunning, wrapped, if there is
// none or it does not run. Exists tells these apart.
func Find(state StateDir, name string) (*Instance, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	instance, err := state.loadInstance(name)
	if err != nil {
		return nil, err
	}
	if instance == nil || !instance.Running() {
		return nil, fmt.Errorf("cluster %q is %w", name, ErrNotRunning)
	}
	return instance, nil
}

// Exists reports whether there is an instance with a name, in any state: up has started it, and down
// has not removed it.
func Exists(state StateDir, name string) (bool, error) {
	if err := CheckName(name); err != nil {
		return false, err
	}
	instance, err := state.loadInstance(name)
	return instance != nil, err
}

// FindByKubeconfig returns the instance that a kubeconfig belongs to, nil when there is none.
func FindByKubeconfig(state StateDir, path string) (*Instance, error) {
	names, err := state.instanceNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if path == (&Instance{Dir: state.instanceDir(name)}).Kubeconfig() {
			return state.loadInstance(name)
		}
	}
	return nil, nil
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// Env returns the variables that tell other programs about the instance: KUBECONFIG for kubectl and
// operators, KUBEBUILDER_ASSETS for envtest, OPGEN_AUDIT_LOG for tests that count requests, and with a node
// OPGEN_REGISTRY for images.
func (i *Instance) Env() []Variable {
	variables := []Variable{
		{"KUBECONFIG", i.Kubeconfig()},
		{"KUBEBUILDER_ASSETS", i.Assets},
		{"OPGEN_AUDIT_LOG", i.AuditLog()},
	}
	if i.Node != nil {
		variables = append(variables, Variable{"OPGEN_REGISTRY", i.Node.Registry})
	}
	return variables
}
