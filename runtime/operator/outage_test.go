package operator_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestWhatHappensInAnOutageIsRepairedAfterwards(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	})
	a := &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("edited", "one"))
		want.ConfigMaps.Add(configMap("deleted", "one"))
	})}
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	line := runOverLine(t, f)
	f.Create(f.site)
	f.status("Ready", "Ready")

	line.cut()
	edited, deleted := named(&corev1.ConfigMap{}, "edited"), named(&corev1.ConfigMap{}, "deleted")
	f.Update(edited, func() { edited.Data["key"] = "two" })
	f.Get(deleted)
	f.Delete(deleted)
	f.Update(f.site, func() { f.site.Spec.Text = "changed" })
	line.mend()

	f.Eventually("the operator catches up", func() error {
		f.Get(f.site)
		if !f.Get(edited) || edited.Data["key"] != "one" || !f.Get(named(&corev1.ConfigMap{}, "deleted")) || f.site.Status.ObservedGeneration != f.site.Generation {
			return fmt.Errorf("data is %v, status is %+v", edited.Data, f.site.Status)
		}
		return nil
	})
	f.status("Ready", "Ready")
}

// runOverLine runs the author's operator until the test ends, with a line to
// the API server that can be cut.
func runOverLine(t *testing.T, f *fixture) *line {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	l := overLine(t, config)
	options := operator.Defaults()
	options.Namespaces = []string{f.Namespace}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, config, options, f.controllers) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the operator ended with: %v", err)
		}
	})
	return l
}

// overLine makes a config use a line.
func overLine(t *testing.T, config *rest.Config) *line {
	t.Helper()
	server, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	l := newLine(t, server.Host)
	config.TLSClientConfig.ServerName = server.Hostname()
	config.Host = "https://" + l.listener.Addr().String()
	return l
}

// line forwards connections to an address while it is not cut.
type line struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	isCut bool
	open  []net.Conn
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, to: to}
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
	})
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			l.connect(near)
		}
	}()
	return l
}

func (l *line) connect(near net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCut {
		_ = near.Close()
		return
	}
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		_ = near.Close()
		return
	}
	l.open = append(l.open, near, far)
	for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
	}
}

// cut closes every connection, and lets no new one through.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, connection := range l.open {
		_ = connection.Close()
	}
	l.isCut, l.open = true, nil
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = false
}
