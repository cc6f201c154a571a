package process

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// commandLine is what the command line and the environment of an operator say.
type commandLine struct {
	Settings
	kubeconfig string
	qps        float64
	burst      int
	logLevel   slog.Level
	logFormat  string
}

// parseFlags reads the command line. Flags override the environment, which overrides the
// defaults.
func parseFlags(program string, args []string, getenv func(string) string, usage io.Writer) (commandLine, error) {
	l := commandLine{Settings: Settings{Options: Defaults(), Program: filepath.Base(program)}, logFormat: "text"}
	flags := flag.NewFlagSet(filepath.Base(program), flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&l.kubeconfig, "kubeconfig", "", "the kubeconfig `file`; by default KUBECONFIG, the Pod's ServiceAccount, or ~/.kube/config")
	flags.Var(namespacesFlag{&l.Namespaces}, "namespace", "work in these `namespaces` only, such as a,b")
	flags.StringVar(&l.ParentSelector, "parent-selector", l.ParentSelector, "work on parents with these `labels` only, such as \"tier=web,!canary\"")
	flags.IntVar(&l.Workers, "workers", l.Workers, "how many parents each controller works on at once")
	flags.DurationVar(&l.Resync, "resync", l.Resync, "how often to look at every parent again; 0 for never")
	flags.BoolVar(&l.LeaderElect, "leader-elect", l.LeaderElect, "let one of several replicas work at a time")
	flags.StringVar(&l.LeaderElectID, "leader-elect-id", l.LeaderElectID, "the `name` of the Lease that elects the leader; by default the project's")
	flags.StringVar(&l.LeaderElectNamespace, "leader-elect-namespace", l.LeaderElectNamespace, "the `namespace` of that Lease; by default the operator's own, whatever --namespace says")
	flags.IntVar(&l.PruneLimit, "prune-limit", l.PruneLimit, "hold prunes once more than this many `parents` have lost children in 10 minutes although their specs had not changed; negative for no limit")
	flags.IntVar(&l.PruneLimitPercent, "prune-limit-percent", l.PruneLimitPercent, "the same in `percent` of a controller's parents; the larger limit counts")
	flags.StringVar(&l.ReleasePrunes, "release-prunes", l.ReleasePrunes, "release the held prunes of this `incident`, which the Ready condition names")
	flags.BoolVar(&l.Observe, "observe", l.Observe, "write nothing and take no lease: log and count what would be written")
	flags.StringVar(&l.MetricsAddress, "metrics-bind-address", l.MetricsAddress, "`host:port` that serves /metrics; 0 for none")
	flags.BoolVar(&l.MetricsSecure, "metrics-secure", l.MetricsSecure, "serve metrics over TLS, to whom the API server lets read them")
	flags.StringVar(&l.MetricsCertPath, "metrics-cert-path", l.MetricsCertPath, "the `folder` with the certificate of the metrics server, which is read again when it changes; by default it makes one itself at each start")
	flags.StringVar(&l.MetricsCertName, "metrics-cert-name", l.MetricsCertName, "the `file` with the certificate, in that folder")
	flags.StringVar(&l.MetricsCertKey, "metrics-cert-key", l.MetricsCertKey, "the `file` with its key, in that folder")
	flags.StringVar(&l.HealthAddress, "health-probe-bind-address", l.HealthAddress, "`host:port` that serves /healthz and /readyz; 0 for none")
	flags.IntVar(&l.WebhookPort, "webhook-port", l.WebhookPort, "the `port` that serves webhooks, if the code registers any; 0 for none")
	flags.StringVar(&l.WebhookCertPath, "webhook-cert-path", l.WebhookCertPath, "the `folder` with the certificate of the webhook server, which is read again when it changes; by default k8s-webhook-server/serving-certs in the system's temporary folder")
	flags.StringVar(&l.WebhookCertName, "webhook-cert-name", l.WebhookCertName, "the `file` with the certificate, in that folder")
	flags.StringVar(&l.WebhookCertKey, "webhook-cert-key", l.WebhookCertKey, "the `file` with its key, in that folder")
	flags.StringVar(&l.PprofAddress, "pprof-bind-address", l.PprofAddress, "`host:port` that serves /debug/pprof/, unprotected; 0 for none")
	flags.Float64Var(&l.qps, "qps", -1, "requests per second to the API server; negative for no limit")
	flags.IntVar(&l.burst, "burst", 0, "requests that may exceed qps for a moment; by default twice as many")
	flags.TextVar(&l.logLevel, "log-level", slog.LevelInfo, "debug, info, warn or error")
	flags.StringVar(&l.logFormat, "log-format", l.logFormat, "text or json")
	flags.Usage = func() {
		fmt.Fprintf(usage, "Usage of %s; a flag --some-flag but --namespace can also be set as OPERATOR_SOME_FLAG:\n", flags.Name())
		flags.PrintDefaults()
	}
	if err := setFromEnvironment(flags, getenv); err != nil {
		return l, err
	}
	if err := flags.Parse(args); err != nil {
		return l, err
	}
	if err := checkNamespaceVariable(flags, getenv); err != nil {
		return l, err
	}
	return l, l.validate(flags.Args())
}

// namespaceVariable is no way to set --namespace. Charts and OLM set this variable to the namespace
// of the Pod, and an operator of all namespaces would work in that one alone.
const namespaceVariable = "OPERATOR_NAMESPACE"

// checkNamespaceVariable returns an error if the variable is set and the flag is not. An earlier
// release read the variable: without the error, an operator that it limited would work in all
// namespaces.
func checkNamespaceVariable(flags *flag.FlagSet, getenv func(string) string) error {
	value, isSet := getenv(namespaceVariable), false
	flags.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == "namespace" })
	if value == "" || isSet {
		return nil
	}
	return fmt.Errorf("%s=%q does not limit the operator any more: pass --namespace=%s to work in this namespace only, or --namespace= to work in all", namespaceVariable, value, value)
}

func setFromEnvironment(flags *flag.FlagSet, getenv func(string) string) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		name := "OPERATOR_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := getenv(name); value != "" && name != namespaceVariable && err == nil {
			if wrong := flags.Set(f.Name, value); wrong != nil {
				err = fmt.Errorf("%s=%q: %w", name, value, wrong)
			}
		}
	})
	return err
}

func (l *commandLine) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case l.Workers < 1:
		return fmt.Errorf("--workers=%d: at least 1 is needed", l.Workers)
	case l.Resync < 0:
		return fmt.Errorf("--resync=%s: a time, or 0 for never", l.Resync)
	case l.qps == 0:
		return errors.New("--qps=0: requests per second, or a negative number for no limit")
	case l.burst < 0:
		return fmt.Errorf("--burst=%d: at least 0", l.burst)
	case l.PruneLimitPercent < 0 || l.PruneLimitPercent > 100:
		return fmt.Errorf("--prune-limit-percent=%d: 0 to 100", l.PruneLimitPercent)
	case l.WebhookPort < 0 || l.WebhookPort > 65535:
		return fmt.Errorf("--webhook-port=%d: 0 to 65535", l.WebhookPort)
	case l.logFormat != "text" && l.logFormat != "json":
		return fmt.Errorf("--log-format=%q: text or json", l.logFormat)
	}
	return nil
}

// newLogger returns a logger that writes to w.
func (l *commandLine) newLogger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: l.logLevel}
	if l.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// loadConfig finds the cluster, and the namespace of the Leases: that of the Pod, or outside of one that of the kubeconfig.
// --namespace has no say in it, since replicas with different lists must not hold different Leases.
func (l *commandLine) loadConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = l.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, err
	}
	home, _, err := loader.Namespace()
	if err != nil {
		return nil, err
	}
	l.LeaderElectNamespace = cmp.Or(l.LeaderElectNamespace, home)
	config.QPS, config.Burst = float32(l.qps), l.burst
	if l.burst == 0 && l.qps > 0 {
		config.Burst = max(1, int(2*l.qps))
	}
	config.UserAgent = filepath.Base(os.Args[0]) + " " + rest.DefaultKubernetesUserAgent()
	return config, nil
}
