package process

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// probes answers /healthz and /readyz, as the manager of controller-runtime does, whose probes cannot be
// added while it runs and know only success and failure. A process is ready while all of its controllers
// work and a replica holds the lease. One that serves webhooks is ready while it serves them: a Pod that is not
// ready gets no requests for them. /readyz?verbose says what each controller waits for, and /readyz/<name> is one
// of them.
type probes struct {
	mu          sync.Mutex
	health      map[string]healthz.Checker
	ready       map[string]healthz.Checker
	controllers []*starting
	webhooks    *webhookServer
	lease       *lease // nil without leader election
}

func newProbes(webhooks *webhookServer, lease *lease) *probes {
	return &probes{health: map[string]healthz.Checker{"ping": healthz.Ping}, ready: map[string]healthz.Checker{}, webhooks: webhooks, lease: lease}
}

// probedManager is a manager whose probes are answered by package process.
type probedManager struct {
	manager.Manager
	probes   *probes
	registry *prometheus.Registry
	lists    *listings
}

// AddHealthzCheck adds a check of /healthz.
func (m probedManager) AddHealthzCheck(name string, check healthz.Checker) error {
	return m.probes.add(m.probes.health, name, check)
}

// AddReadyzCheck adds a check of /readyz.
func (m probedManager) AddReadyzCheck(name string, check healthz.Checker) error {
	return m.probes.add(m.probes.ready, name, check)
}

func (p *probes) add(to map[string]healthz.Checker, name string, check healthz.Checker) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	to[name] = check
	return nil
}

// serve has the manager answer probes at an address; 0 is none.
func (p *probes) serve(mgr manager.Manager, address string) error {
	if address == "" || address == "0" {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("probes: %w", err)
	}
	mux := http.NewServeMux()
	for path, list := range map[string]func() []probe{"/healthz": p.listHealth, "/readyz": p.listReady} {
		answer := func(w http.ResponseWriter, request *http.Request) { answerProbe(w, request, path, list()) }
		mux.HandleFunc(path, answer)
		mux.HandleFunc(path+"/", answer)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 32 * time.Second, IdleTimeout: 90 * time.Second}
	return mgr.Add(&manager.Server{Name: "health probe", Server: server, Listener: listener})
}

// probe is one of the checks of a path.
type probe struct {
	name  string
	check healthz.Checker
	// isOurs says that the reason of a failure is shown: it names kinds, and nothing secret.
	isOurs bool
	// isMinor says that the path succeeds although the check fails.
	isMinor bool
}

func (p *probes) listHealth() []probe {
	p.mu.Lock()
	defer p.mu.Unlock()
	return listProbes(p.health)
}

func (p *probes) listReady() []probe {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, servesWebhooks := listProbes(p.ready), p.webhooks.hasWebhooks()
	if servesWebhooks {
		all = append(all, probe{name: "webhooks", check: p.webhooks.StartedChecker(), isOurs: true})
	}
	if p.lease != nil {
		all = append(all, probe{name: "lease", check: p.lease.checkReady, isOurs: true, isMinor: servesWebhooks})
	}
	for _, controller := range p.controllers {
		all = append(all, probe{name: "controller-" + controller.name, check: controller.checkReady, isOurs: true, isMinor: servesWebhooks})
	}
	return all
}

func listProbes(checks map[string]healthz.Checker) (all []probe) {
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		all = append(all, probe{name: name, check: checks[name]})
	}
	return all
}

// checkReady returns why the controller does not work yet.
func (s *starting) checkReady(*http.Request) error {
	if kinds, why := s.waitsFor(); len(kinds) > 0 {
		return fmt.Errorf("waits: %s", why)
	}
	return nil
}

// describe returns a failure in the form of Kubernetes' own probes. Anybody may ask, so that the reason of
// an author's check is withheld, as there.
func (p probe) describe(err error) string {
	if !p.isOurs {
		return fmt.Sprintf("[-]%s failed: reason withheld\n", p.name)
	}
	return fmt.Sprintf("[-]%s failed: %s\n", p.name, err)
}

// answerProbe answers a request of a path, or of one check below it.
func answerProbe(w http.ResponseWriter, request *http.Request, path string, checks []probe) {
	only := strings.TrimPrefix(strings.TrimPrefix(request.URL.Path, path), "/")
	var text strings.Builder
	hasFailed, isFound := false, only == ""
	for _, each := range checks {
		if only != "" && each.name != only {
			continue
		}
		isFound = true
		if err := each.check(request); err != nil {
			hasFailed = hasFailed || !each.isMinor || only != ""
			text.WriteString(each.describe(err))
			continue
		}
		fmt.Fprintf(&text, "[+]%s ok\n", each.name)
	}
	_, isVerbose := request.URL.Query()["verbose"]
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case !isFound:
		http.NotFound(w, request)
	case hasFailed:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "%s%s check failed\n", text.String(), strings.TrimPrefix(path, "/"))
	case isVerbose:
		fmt.Fprintf(w, "%s%s check passed\n", text.String(), strings.TrimPrefix(path, "/"))
	default:
		fmt.Fprint(w, "ok")
	}
}
