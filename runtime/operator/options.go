package operator

import (
	"log/slog"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// Options configure [Run]. [Main] fills them in from flags and environment;
// [Defaults] are the values it starts from.
type Options struct {
	// Namespaces are those that the operator works in, each once; none means all. It needs a Role in each. It
	// caches no other namespace, except for kinds of children whose spec file lists some.
	Namespaces []string
	// ParentSelector limits the operator to parents with these labels, in
	// kubectl's syntax; empty means all. The operator leaves other parents and their
	// children alone.
	ParentSelector string
	// Workers is how many parents each controller works on at once.
	Workers int
	// Resync is how often every parent is reconciled without any change.
	Resync time.Duration

	// LeaderElect elects the one replica that works at a time, by the Lease LeaderElectID in
	// LeaderElectNamespace. By default the Lease is named after the project, and is in the namespace of the Pod.
	LeaderElect          bool
	LeaderElectID        string
	LeaderElectNamespace string

	// PruneLimit and PruneLimitPercent say how many parents, and how many percent of a
	// controller's parents, may lose children in 10 minutes although their specs have not
	// changed; the larger number counts. Beyond it such prunes are held until a person
	// releases them. A negative PruneLimit means that there is no limit. Whoever runs an operator with [Run]
	// outside of a Pod sets LeaderElectNamespace, where the count is kept.
	PruneLimit        int
	PruneLimitPercent int
	// ReleasePrunes is the incident whose held prunes are released, as the Ready condition
	// names it.
	ReleasePrunes string
	// Observe writes nothing and takes no lease: the operator logs and counts what it would
	// write, and sends dry runs at most.
	Observe bool

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
	// MetricsCertPath is the folder of the metrics server's certificate MetricsCertName and key
	// MetricsCertKey, which are read again when they change. Without it, the server makes a certificate
	// of its own at each start.
	MetricsCertPath string
	MetricsCertName string
	MetricsCertKey  string

	// WebhookPort is where webhooks are served, on all addresses, if Setup or a New registers any; 0
	// means nowhere. WebhookCertPath is the folder of its certificate WebhookCertName and key
	// WebhookCertKey, which are read again when they change; by default it is
	// k8s-webhook-server/serving-certs in the system's temporary folder.
	WebhookPort     int
	WebhookCertPath string
	WebhookCertName string
	WebhookCertKey  string
	// WebhookServer, if not nil, serves webhooks in place of the server that these describe.
	WebhookServer webhook.Server

	// Logger receives the log; nil means slog.Default().
	Logger *slog.Logger
	// Setup, if not nil, may add to the manager before the controllers do.
	Setup func(Manager) error
}

// Defaults are fit for a developer's machine: all namespaces, 10 workers, no
// leader election, no ports. Generated manifests turn the rest on.
func Defaults() Options { return Options(process.Defaults()) }

// Option is an option of [Main].
type Option func(*Options)

// Setup lets the author add to the manager before it starts: another
// controller, a webhook, a type in its scheme. Given several times, all of them run, in their
// order, until one returns an error.
func Setup(add func(Manager) error) Option {
	return func(o *Options) {
		earlier := o.Setup
		o.Setup = func(mgr Manager) error {
			if earlier != nil {
				if err := earlier(mgr); err != nil {
					return err
				}
			}
			return add(mgr)
		}
	}
}

// WebhookServer serves webhooks by a server of the author's own, in place of the one that the flags
// describe: for client certificates, other TLS settings, or a certificate that is in no file.
func WebhookServer(server webhook.Server) Option {
	return func(o *Options) { o.WebhookServer = server }
}
