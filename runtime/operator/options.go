package operator

import (
	"log/slog"
	"time"
)

// Options configure [Run]. [Main] fills them in from flags and environment;
// see there for the meaning and the default of each.
type Options struct {
	// Namespace limits the operator to one namespace; empty means all.
	Namespace string
	// Workers is the number of parents that a controller works on at once.
	Workers int
	// Resync is how often every parent gets a pass without any change.
	Resync time.Duration

	LeaderElect          bool
	LeaderElectID        string
	LeaderElectNamespace string

	// MetricsAddress and HealthAddress are where these are served, as
	// host:port; empty means nowhere.
	MetricsAddress string
	// MetricsSecure serves metrics over TLS, to whom the API server says may
	// read them.
	MetricsSecure bool
	HealthAddress string

	// Logger receives the operator's log; nil means slog.Default().
	Logger *slog.Logger
	// Setup, if not nil, runs before the controllers are made and may add to
	// the manager.
	Setup func(Manager) error
}

// Option is an option of [Main].
type Option func(*Options)

// Setup lets the author add to the manager before it starts: another
// controller, a webhook, a type in its scheme.
func Setup(add func(Manager) error) Option {
	return func(o *Options) { o.Setup = add }
}
