package process

import (
	"log/slog"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// Options are those of package operator, which documents them.
type Options struct {
	Namespaces     []string
	ParentSelector string
	Workers        int
	Resync         time.Duration

	LeaderElect          bool
	LeaderElectID        string
	LeaderElectNamespace string

	PruneLimit        int
	PruneLimitPercent int
	ReleasePrunes     string
	Observe           bool

	MetricsAddress string
	HealthAddress  string
	PprofAddress   string
	MetricsSecure  bool

	MetricsCertPath string
	MetricsCertName string
	MetricsCertKey  string

	WebhookPort     int
	WebhookCertPath string
	WebhookCertName string
	WebhookCertKey  string
	WebhookServer   webhook.Server

	Logger *slog.Logger
	Setup  func(manager.Manager) error
}

// Defaults returns the options of a process that sets none.
func Defaults() Options {
	return Options{
		Workers:           10,
		Resync:            10 * time.Hour,
		PruneLimit:        20,
		PruneLimitPercent: 10,
		MetricsAddress:    "0",
		HealthAddress:     "0",
		PprofAddress:      "0",
		MetricsSecure:     true,
		MetricsCertName:   defaultCertName,
		MetricsCertKey:    defaultCertKey,
		WebhookPort:       webhook.DefaultPort,
		WebhookCertName:   defaultCertName,
		WebhookCertKey:    defaultCertKey,
	}
}

// DefaultProgram is the program's name where no command line says another.
const DefaultProgram = "operator"

// Settings are the options of a process, and what only its command line or a test sets.
type Settings struct {
	Options
	// Program is the file name of the program. The Lease of controllers that are of no project has it.
	Program string
	// DiscoverEvery is how often the API server is asked for kinds that it did not serve, and how long lists and
	// watches of a kind may fail until a controller counts as waiting for it; a minute by default.
	DiscoverEvery time.Duration
	// Control lets a test control the process; nil otherwise.
	Control *testcontrol.Control
}
