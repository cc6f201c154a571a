package process

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func TestParseFlags(t *testing.T) {
	for _, test := range []struct {
		name   string
		args   []string
		env    map[string]string
		expect func(*commandLine)
		err    string
	}{
		{name: "defaults", expect: func(*commandLine) {}},
		{
			name: "flags",
			args: []string{"--namespace=web", "--parent-selector=tier=web", "--workers", "3", "--resync=1m", "--leader-elect", "--metrics-bind-address=:8443"},
			expect: func(l *commandLine) {
				l.Namespaces, l.ParentSelector = []string{"web"}, "tier=web"
				l.Workers, l.Resync, l.LeaderElect, l.MetricsAddress = 3, time.Minute, true, ":8443"
			},
		},
		{
			name:   "environment",
			env:    map[string]string{"OPERATOR_WORKERS": "3", "OPERATOR_LOG_FORMAT": "json"},
			expect: func(l *commandLine) { l.Workers, l.logFormat = 3, "json" },
		},
		{
			name:   "flags win over the environment",
			args:   []string{"--workers=4"},
			env:    map[string]string{"OPERATOR_WORKERS": "3"},
			expect: func(l *commandLine) { l.Workers = 4 },
		},
		{
			name: "a namespace that a chart sets in the environment",
			env:  map[string]string{"OPERATOR_NAMESPACE": "web-system"},
			err:  `OPERATOR_NAMESPACE="web-system" does not limit the operator any more: pass --namespace=web-system to work in this namespace only, or --namespace= to work in all`,
		},
		{
			name:   "a namespace in the environment, and another by the flag",
			args:   []string{"--namespace=web"},
			env:    map[string]string{"OPERATOR_NAMESPACE": "web-system"},
			expect: func(l *commandLine) { l.Namespaces = []string{"web"} },
		},
		{
			name:   "a namespace in the environment, and all by the flag",
			args:   []string{"--namespace="},
			env:    map[string]string{"OPERATOR_NAMESPACE": "web-system"},
			expect: func(*commandLine) {},
		},
		{
			name:   "several namespaces",
			args:   []string{"--namespace=web,db"},
			expect: func(l *commandLine) { l.Namespaces = []string{"web", "db"} },
		},
		{
			name: "everything that is wrong about namespaces",
			args: []string{"--namespace=web,,Web,web, db"},
			err:  "invalid value \"web,,Web,web, db\" for flag -namespace: a name is empty\n\"Web\" is not the name of a namespace\nweb is there twice\n\" db\" is not the name of a namespace",
		},
		{
			name: "prunes",
			args: []string{"--prune-limit=-1", "--prune-limit-percent=25", "--release-prunes=20261123T144224Z", "--observe"},
			expect: func(l *commandLine) {
				l.PruneLimit, l.PruneLimitPercent, l.ReleasePrunes, l.Observe = -1, 25, "20261123T144224Z", true
			},
		},
		{
			name: "the certificate of metrics, in kubebuilder's words",
			args: []string{"--metrics-cert-path=/certs", "--metrics-cert-name=a.crt"},
			env:  map[string]string{"OPERATOR_METRICS_CERT_KEY": "a.key"},
			expect: func(l *commandLine) {
				l.MetricsCertPath, l.MetricsCertName, l.MetricsCertKey = "/certs", "a.crt", "a.key"
			},
		},
		{
			name: "webhooks, in kubebuilder's words",
			args: []string{"--webhook-cert-path=/certs", "--webhook-cert-name=a.crt", "--webhook-cert-key=a.key"},
			env:  map[string]string{"OPERATOR_WEBHOOK_PORT": "0"},
			expect: func(l *commandLine) {
				l.WebhookPort, l.WebhookCertPath, l.WebhookCertName, l.WebhookCertKey = 0, "/certs", "a.crt", "a.key"
			},
		},
		{name: "webhook port", args: []string{"--webhook-port=-1"}, err: "--webhook-port=-1: 0 to 65535"},
		{name: "percent", args: []string{"--prune-limit-percent=200"}, err: "--prune-limit-percent=200: 0 to 100"},
		{name: "unknown flag", args: []string{"--wokers=4"}, err: "flag provided but not defined: -wokers"},
		{name: "bad environment", env: map[string]string{"OPERATOR_WORKERS": "many"}, err: `OPERATOR_WORKERS="many": parse error`},
		{name: "no workers", args: []string{"--workers=0"}, err: "--workers=0: at least 1 is needed"},
		{name: "resync", args: []string{"--resync=-1s"}, err: "--resync=-1s: a time, or 0 for never"},
		{name: "no requests", args: []string{"--qps=0"}, err: "--qps=0: requests per second, or a negative number for no limit"},
		{name: "no requests at a moment", args: []string{"--qps=5", "--burst=-1"}, err: "--burst=-1: at least 0"},
		{name: "argument", args: []string{"run"}, err: `unexpected argument "run"`},
		{name: "log format", args: []string{"--log-format=xml"}, err: `--log-format="xml": text or json`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseFlags("/bin/web-operator", test.args, func(name string) string { return test.env[name] }, io.Discard)
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := commandLine{Settings: Settings{Options: Defaults(), Program: "web-operator"}, qps: -1, logFormat: "text"}
			test.expect(&want)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(commandLine{})); diff != "" {
				t.Errorf("command line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNamespaceLimitIsLoggedAtTheStart(t *testing.T) {
	for namespaces, want := range map[string]bool{"web,db": true, "": false} {
		var log bytes.Buffer
		var limited []string
		if namespaces != "" {
			limited = strings.Split(namespaces, ",")
		}
		settings := Settings{Options: Options{Namespaces: limited, Logger: slog.New(slog.NewTextHandler(&log, nil))}}
		_ = Run(t.Context(), &rest.Config{Host: "http://127.0.0.1:1"}, settings, func(manager.Manager) ([]Controller, error) {
			return nil, errors.New("enough")
		})
		if got := strings.Contains(log.String(), `msg="working in some namespaces only" namespaces=web,db`); got != want {
			t.Errorf("namespaces %q: logged %v, want %v: %s", namespaces, got, want, &log)
		}
	}
}

// The Leases of an operator are in its own namespace, however many namespaces it works in.
func TestTheNamespaceOfTheLeasesIsTheOperatorsOwn(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	err := os.WriteFile(kubeconfig, []byte(`
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u, namespace: web-system}}]
users: [{name: u}]
current-context: c
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for namespaces, args := range map[string][]string{
		"all": nil, "one": {"--namespace=a"}, "two": {"--namespace=b,a"}, "one, and a namespace for the Leases": {"--namespace=a", "--leader-elect-namespace=web-system"},
	} {
		line, err := parseFlags("/bin/web", append(args, "--kubeconfig="+kubeconfig), func(string) string { return "" }, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := line.loadConfig(); err != nil {
			t.Fatal(err)
		}
		if own := (&Environment{Settings: line.Settings}).OwnNamespace(); line.LeaderElectNamespace != "web-system" || own != "web-system" {
			t.Errorf("it works in %s: the Lease of the leader is in %q, the others in %q", namespaces, line.LeaderElectNamespace, own)
		}
	}
	settings := Settings{Options: Options{Namespaces: []string{"a"}}} // of a program that passes options, outside of a Pod
	if own := (&Environment{Settings: settings}).OwnNamespace(); own != "default" {
		t.Errorf("without a namespace of its own, it keeps Leases in %q", own)
	}
}

func TestWithoutAClusterMainSaysWhatToDo(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("HOME", t.TempDir())
	unreachable := writeKubeconfig(t)
	for _, test := range []struct{ name, kubeconfig, env, says string }{
		{"nothing is configured", "", "", "no cluster is configured: set KUBECONFIG or pass --kubeconfig"},
		{"KUBECONFIG names no file", "", "/nowhere/kubeconfig", "no cluster is configured"},
		{"--kubeconfig names no file", "/nowhere/kubeconfig", "", "/nowhere/kubeconfig: no such file"},
		{"the cluster is down", unreachable, "", "cannot reach the API server at http://127.0.0.1:1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.env)
			line := commandLine{Settings: Settings{Options: Defaults()}, kubeconfig: test.kubeconfig}
			err := line.run(func(manager.Manager) ([]Controller, error) {
				return []Controller{NewController("web", "", nil, func(mgr manager.Manager, _ *Environment) error {
					_, err := mgr.GetRESTMapper().RESTMapping(corev1.SchemeGroupVersion.WithKind("ConfigMap").GroupKind())
					return err
				})}, nil
			})
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, test.says)
			}
		})
	}
}
