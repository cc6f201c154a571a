package cluster

import (
	"errors"
	"fmt"
)

// Status is an instance as it is now.
type Status struct {
	*Instance
	State  string           `json:"state"`       // "running", "starting or ending", "broken" or "dead"
	Memory map[string]int64 `json:"memoryBytes"` // resident, by process name
}

// ErrNotRunning is what Find returns, wrapped, when the instance does not run.
var ErrNotRunning = errors.New("not running")

// List returns every instance, sorted by name.
func List(state State) ([]Status, error) {
	names, err := state.names()
	if err != nil {
		return nil, err
	}
	list := []Status{}
	for _, name := range names {
		instance, err := state.load(name)
		if err != nil {
			return nil, err
		}
		if instance != nil {
			list = append(list, instance.status())
		}
	}
	return list, nil
}

// The states of an instance.
const (
	StateRunning = "running" // every process runs
	StateBroken  = "broken"  // some run
	StateDead    = "dead"    // none runs: it was killed, or the machine was started anew
)

func (i *Instance) status() Status {
	status := Status{Instance: i, State: StateDead, Memory: map[string]int64{}}
	for _, p := range i.Processes {
		if p.Running() {
			status.State = StateBroken
			status.Memory[p.Name] = memoryOf(p.PID)
		}
	}
	if i.Running() {
		status.State = StateRunning
	}
	return status
}

// Find returns a running instance.
func Find(state State, name string) (*Instance, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	instance, err := state.load(name)
	if err != nil {
		return nil, err
	}
	if instance == nil || !instance.Running() {
		return nil, fmt.Errorf("cluster %q is %w", name, ErrNotRunning)
	}
	return instance, nil
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// Env returns the variables that make kubectl, envtest and tests that count requests use the instance.
func (i *Instance) Env() []Variable {
	return []Variable{
		{"KUBECONFIG", i.Kubeconfig()},
		{"KUBEBUILDER_ASSETS", i.Assets},
		{"OPGEN_AUDIT_LOG", i.AuditLog()},
	}
}
