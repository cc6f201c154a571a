package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// modeKey is the variable that makes the test binary an operator.
const modeKey = "OPGEN_TEST_OPERATOR"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeKey); mode != "" {
		a := &author{sync: modes[mode]}
		if mode == "generated" {
			a.alter = alterGenerated
		}
		operator.Main(a.controllers)
		return
	}
	os.Exit(m.Run())
}

var desireWeb = desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })

// modes are what Sync does in an operator of its own process.
var modes = map[string]Function{
	"generated": desireUntilPoked,
	"secretly":  secretly,
	"plain": func(ctx context.Context, req *Request) (*Response, error) {
		log.FromContext(ctx).Info("Sync begins")
		return desireWeb(ctx, req)
	},
	"slow": func(ctx context.Context, req *Request) (*Response, error) {
		log.FromContext(ctx).Info("Sync begins")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Second):
		}
		return desireWeb(ctx, req)
	},
	"deaf": func(ctx context.Context, _ *Request) (*Response, error) {
		log.FromContext(ctx).Info("Sync begins")
		select {}
	},
	"late": func(ctx context.Context, req *Request) (*Response, error) {
		log.FromContext(ctx).Info("Sync begins")
		<-ctx.Done()
		return desireWeb(ctx, req)
	},
}

// operatorProcess is an operator in a process of its own.
type operatorProcess struct {
	*exec.Cmd
	t     *testing.T
	log   lines
	ended chan struct{}
}

// alone is a cluster in which no operator runs yet.
func alone(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	})
	return &fixture{Cluster: cluster, t: t, site: site("web")}
}

// launch runs an operator until the test ends.
func (f *fixture) launch(mode string, env []string, args ...string) *operatorProcess {
	f.t.Helper()
	return f.launchProgram(mode, os.Args[0], append([]string{modeKey + "=" + mode}, env...),
		append([]string{"--kubeconfig", os.Getenv("OPGEN_TEST_KUBECONFIG")}, args...)...)
}

// launchProgram runs an operator that is in a file until the test ends.
func (f *fixture) launchProgram(called, file string, env []string, args ...string) *operatorProcess {
	f.t.Helper()
	return startProcess(f.t, called, file, env, append([]string{"--namespace", f.Namespace}, args...)...)
}

// startProcess runs an operator that is in a file, with these arguments alone, until the test ends.
func startProcess(t *testing.T, called, file string, env []string, args ...string) *operatorProcess {
	t.Helper()
	p := &operatorProcess{t: t, ended: make(chan struct{})}
	p.Cmd = exec.Command(file, args...)
	p.Env = append(os.Environ(), env...)
	p.Stdout, p.Stderr = &p.log, &p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait() // ProcessState says how it ended
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		if t.Failed() {
			p.log.Lock()
			defer p.log.Unlock()
			t.Logf("operator %s:\n%s", called, p.log.String())
		}
	})
	return p
}

// says waits until the log of the operator has this part.
func (p *operatorProcess) says(part string) {
	p.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); p.log.count(part) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("the operator does not say %q", part)
		}
	}
}

func (p *operatorProcess) signal() {
	p.t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
}

// exits waits until the operator has ended, and returns how.
func (p *operatorProcess) exits(within time.Duration) *os.ProcessState {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.ProcessState
	case <-time.After(within):
		p.t.Fatalf("the operator still runs after %s", within)
		return nil
	}
}

func TestSignalLetsTheReconcileEnd(t *testing.T) {
	f := alone(t)
	first := f.launch("slow", nil)
	f.Create(f.site)
	first.says("Sync begins")
	first.signal()
	if state := first.exits(20 * time.Second); state.ExitCode() != 0 {
		t.Errorf("the operator ended with %s", state)
	}
	child := named(&corev1.ConfigMap{}, "web")
	if !f.Get(child) {
		t.Error("the reconcile was not finished: there is no child")
	}
	before := f.status("Ready", "Ready")

	second := f.launch("plain", nil)
	second.says("Sync begins")
	f.Update(f.site, func() { f.site.Spec.Text = "changed" })
	f.Eventually("the second operator has worked", func() error {
		if f.Get(f.site); f.site.Status.ObservedGeneration == before.ObservedGeneration {
			return errors.New("it has not")
		}
		return nil
	})
	if now := named(&corev1.ConfigMap{}, "web"); !f.Get(now) || now.ResourceVersion != child.ResourceVersion || now.UID != child.UID {
		t.Errorf("the child was written again: %s, before %s", now.ResourceVersion, child.ResourceVersion)
	}
}

func TestSecondSignalEndsTheProcessAtOnce(t *testing.T) {
	f := alone(t)
	p := f.launch("deaf", nil)
	f.Create(f.site)
	p.says("Sync begins")
	p.signal()
	p.says("Stopping and waiting for leader election runnables")
	p.signal()
	status := p.exits(5 * time.Second).Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("the operator ended with %v, want its end by the signal", status)
	}
}

func TestLostLeaseEndsTheProcess(t *testing.T) {
	f := alone(t)
	p := f.launch("late", nil, "--leader-elect", "--leader-elect-id=sites", "--leader-elect-namespace", f.Namespace)
	f.Create(f.site)
	p.says("Sync begins")
	f.steal("sites")
	if state := p.exits(10 * time.Second); state.ExitCode() != 1 {
		t.Errorf("the operator ended with %s", state)
	}
	want := fmt.Sprintf("the lease %s/sites was taken over by thief: this replica has stopped writing; started again, it waits for its turn\n", f.Namespace)
	if !strings.HasSuffix(p.log.String(), want) {
		t.Errorf("the last line is not %q", want)
	}
	f.untouched()
}

// steal takes a lease as another replica does.
func (f *fixture) steal(name string) {
	f.t.Helper()
	lease := named(&coordinationv1.Lease{}, name)
	f.Update(lease, func() { lease.Spec.HolderIdentity = ptr.To("thief") })
}

// untouched checks that nothing was written for the Site.
func (f *fixture) untouched() {
	f.t.Helper()
	if f.Get(named(&corev1.ConfigMap{}, "web")) {
		f.t.Error("a child was written")
	}
	if f.Get(f.site); len(f.site.Status.Conditions) > 0 {
		f.t.Errorf("a status was written: %+v", f.site.Status)
	}
}

func TestProfilesAreServedWhereAsked(t *testing.T) {
	f := alone(t)
	address := freeAddress(t)
	f.launch("plain", nil, "--pprof-bind-address="+address)
	f.Eventually("profiles are served", func() error {
		response, err := http.Get("http://" + address + "/debug/pprof/cmdline")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return nil
	})
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
