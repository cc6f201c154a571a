package operator

import (
	"cmp"
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

// settings are what the command line of an operator says.
type settings struct {
	Options
	kubeconfig string
	qps        float64
	burst      int
	logLevel   slog.Level
	logFormat  string
}

// parse reads the command line over the environment over the defaults.
func parse(program string, args []string, getenv func(string) string, usage io.Writer) (settings, error) {
	s := settings{Options: Defaults(), logFormat: "text"}
	s.program = filepath.Base(program)
	flags := flag.NewFlagSet(filepath.Base(program), flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "the kubeconfig `file`; by default KUBECONFIG, the Pod's ServiceAccount, or ~/.kube/config")
	flags.StringVar(&s.Namespace, "namespace", s.Namespace, "work in this `namespace` only")
	flags.StringVar(&s.ParentSelector, "parent-selector", s.ParentSelector, "work on parents with these `labels` only, such as \"tier=web,!canary\"")
	flags.IntVar(&s.Workers, "workers", s.Workers, "how many parents each controller works on at once")
	flags.DurationVar(&s.Resync, "resync", s.Resync, "how often to look at every parent again")
	flags.BoolVar(&s.LeaderElect, "leader-elect", s.LeaderElect, "let one of several replicas work at a time")
	flags.StringVar(&s.LeaderElectID, "leader-elect-id", s.LeaderElectID, "the `name` of the Lease that elects the leader; by default the project's")
	flags.StringVar(&s.LeaderElectNamespace, "leader-elect-namespace", s.LeaderElectNamespace, "the `namespace` of that Lease; by default the operator's own")
	flags.StringVar(&s.MetricsAddress, "metrics-bind-address", s.MetricsAddress, "`host:port` that serves /metrics; 0 for none")
	flags.BoolVar(&s.MetricsSecure, "metrics-secure", s.MetricsSecure, "serve metrics over TLS, to whom the API server lets read them")
	flags.StringVar(&s.HealthAddress, "health-probe-bind-address", s.HealthAddress, "`host:port` that serves /healthz and /readyz; 0 for none")
	flags.StringVar(&s.PprofAddress, "pprof-bind-address", s.PprofAddress, "`host:port` that serves /debug/pprof/, unprotected; 0 for none")
	flags.Float64Var(&s.qps, "qps", -1, "requests per second to the API server; negative for no limit")
	flags.IntVar(&s.burst, "burst", 0, "requests that may exceed qps for a moment; by default twice as many")
	flags.TextVar(&s.logLevel, "log-level", slog.LevelInfo, "debug, info, warn or error")
	flags.StringVar(&s.logFormat, "log-format", s.logFormat, "text or json")
	flags.Usage = func() {
		fmt.Fprintf(usage, "Usage of %s; a flag --some-flag can also be set as OPERATOR_SOME_FLAG:\n", flags.Name())
		flags.PrintDefaults()
	}
	if err := fromEnvironment(flags, getenv); err != nil {
		return s, err
	}
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	return s, s.check(flags.Args())
}

func fromEnvironment(flags *flag.FlagSet, getenv func(string) string) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		name := "OPERATOR_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := getenv(name); value != "" && err == nil {
			if wrong := flags.Set(f.Name, value); wrong != nil {
				err = fmt.Errorf("%s=%q: %w", name, value, wrong)
			}
		}
	})
	return err
}

func (s *settings) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case s.Workers < 1:
		return fmt.Errorf("--workers=%d: at least 1 is needed", s.Workers)
	case s.logFormat != "text" && s.logFormat != "json":
		return fmt.Errorf("--log-format=%q: text or json", s.logFormat)
	}
	return nil
}

// logger writes to w as the settings say.
func (s *settings) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.logLevel}
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// connect finds the cluster, and the namespace that the operator is at home in.
func (s *settings) connect() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = s.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, err
	}
	home, _, err := loader.Namespace()
	if err != nil {
		return nil, err
	}
	s.LeaderElectNamespace = cmp.Or(s.LeaderElectNamespace, s.Namespace, home)
	config.QPS, config.Burst = float32(s.qps), s.burst
	if s.burst == 0 && s.qps > 0 {
		config.Burst = max(1, int(2*s.qps))
	}
	config.UserAgent = filepath.Base(os.Args[0]) + " " + rest.DefaultKubernetesUserAgent()
	return config, nil
}
