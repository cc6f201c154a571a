package operator

import (
	"log/slog"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/passes"
)

// Options configure [Run]. [Main] fills them in from flags and environment;
// [Defaults] are the values it starts from.
type Options struct {
	// Namespace limits the operator to one namespace; empty means all.
	Namespace string
	// ParentSelector limits the operator to parents with these labels, in
	// kubectl's syntax; empty means all. Other parents are none of its business,
	// and stay as they are, with their children.
	ParentSelector string
	// Workers is how many parents each controller works on at once.
	Workers int
	// Resync is how often every parent gets a pass without any change.
	Resync time.Duration

	// LeaderElect lets one of several replicas work at a time, decided by the
	// Lease LeaderElectID in LeaderElectNamespace. By default it is named after the
	// project.
	LeaderElect          bool
	LeaderElectID        string
	LeaderElectNamespace string

	// MetricsAddress and HealthAddress are where metrics (/metrics) and probes
	// (/healthz, /readyz) are served, as host:port; "0" means nowhere.
	MetricsAddress string
	HealthAddress  string
	// PprofAddress is where Go's profiles (/debug/pprof/) are served, in the
	// clear and to everyone who can reach it; "0" means nowhere.
	PprofAddress string
	// MetricsSecure serves metrics over TLS, and only to clients that the API
	// server authenticates and lets read them.
	MetricsSecure bool

	// Logger receives the log; nil means slog.Default().
	Logger *slog.Logger
	// Setup, if not nil, may add to the manager before the controllers do.
	Setup func(Manager) error

	// Control is what package operatortest holds an operator by; nil otherwise.
	Control *passes.Control

	program string // after which the lease was named before it had the project's name
}

// Defaults are fit for a developer's machine: all namespaces, 10 workers, no
// leader election, no ports. Generated manifests turn the rest on.
func Defaults() Options {
	return Options{
		Workers:        10,
		Resync:         10 * time.Hour,
		MetricsAddress: "0",
		HealthAddress:  "0",
		PprofAddress:   "0",
		MetricsSecure:  true,
		program:        "operator",
	}
}

// Option is an option of [Main].
type Option func(*Options)

// Setup lets the author add to the manager before it starts: another
// controller, a webhook, a type in its scheme.
func Setup(add func(Manager) error) Option {
	return func(o *Options) { o.Setup = add }
}
