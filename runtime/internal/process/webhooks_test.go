package process

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// webhookProcess is a process without a cluster that serves webhooks.
type webhookProcess struct {
	t        *testing.T
	settings Settings
	log      lockedText
	ended    chan error
}

// lockedText is what several goroutines write to.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is what a webhook says.
func answer() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "yes") })
}

func newWebhookProcess(t *testing.T, setup func(manager.Manager)) *webhookProcess {
	p := &webhookProcess{t: t, settings: Settings{Options: Defaults(), Program: DefaultProgram}, ended: make(chan error, 1)}
	p.settings.WebhookPort, p.settings.WebhookCertPath = freePort(t), t.TempDir()
	p.settings.HealthAddress = fmt.Sprintf("127.0.0.1:%d", freePort(t))
	p.settings.Logger = slog.New(slog.NewTextHandler(&p.log, nil))
	p.settings.Setup = func(mgr manager.Manager) error {
		setup(mgr)
		return nil
	}
	return p
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// start runs the process until the test ends.
func (p *webhookProcess) start() {
	ctx, stop := context.WithCancel(p.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.ended <- Run(ctx, &rest.Config{Host: "http://127.0.0.1:1"}, p.settings, func(manager.Manager) ([]Controller, error) { return nil, nil })
	}()
	p.t.Cleanup(func() {
		stop()
		<-done
	})
}

// certificate writes a certificate of its own for names into the folder of the process, and returns
// who trusts it.
func (p *webhookProcess) certificate(from, until time.Time, names ...string) *x509.CertPool {
	p.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		p.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	p.write(defaultCertKey, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	p.write(defaultCertName, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	return trusted
}

// write replaces a file as a kubelet does, by a rename.
func (p *webhookProcess) write(name string, content []byte) {
	p.t.Helper()
	path := filepath.Join(p.settings.WebhookCertPath, name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		p.t.Fatal(err)
	}
}

// ask asks a webhook as the API server does.
func (p *webhookProcess) ask(trusted *x509.CertPool, name string) error {
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: name}}, Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	return expectAnswer(client.Get(fmt.Sprintf("https://127.0.0.1:%d/mutate", p.settings.WebhookPort)))
}

// probe asks one of the paths of the probes.
func (p *webhookProcess) probe(path string) error {
	return expectAnswer(http.Get("http://" + p.settings.HealthAddress + path))
}

func expectAnswer(response *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

// eventually waits until a check succeeds.
func (p *webhookProcess) eventually(what string, check func() error) {
	p.t.Helper()
	err := check()
	for deadline := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(deadline); err = check() {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, &p.log)
	}
}

const serviceName = "web-webhook-service.web-system.svc"

func TestWebhooksAreServedByReplicasThatAreNotLeader(t *testing.T) {
	p := newWebhookProcess(t, func(mgr manager.Manager) { mgr.GetWebhookServer().Register("/mutate", answer()) })
	p.settings.LeaderElect, p.settings.LeaderElectID, p.settings.LeaderElectNamespace = true, "web", "web-system" // which nobody can take here
	trusted := p.certificate(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), serviceName)
	p.start()
	p.eventually("a webhook is served", func() error { return p.ask(trusted, serviceName) })
	p.eventually("the process is ready", func() error { return p.probe("/readyz/webhooks") })
	if err := p.ask(trusted, "another-service.web-system.svc"); !errors.As(err, new(x509.HostnameError)) {
		t.Errorf("another name: %v", err)
	}
	if !strings.Contains(p.log.String(), serviceName) {
		t.Errorf("the log does not name the certificate's names: %s", &p.log)
	}
}

func TestWebhookCertificateIsRotatedWhileItServes(t *testing.T) {
	p := newWebhookProcess(t, func(mgr manager.Manager) { mgr.GetWebhookServer().Register("/mutate", answer()) })
	p.certificate(time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour), serviceName) // out of its time
	p.start()
	p.eventually("the log says that the certificate is of no use", func() error {
		if !strings.Contains(p.log.String(), "out of its time") {
			return errors.New("it does not")
		}
		return nil
	})
	renewed := p.certificate(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), serviceName)
	p.eventually("the renewed certificate is used", func() error { return p.ask(renewed, serviceName) })
	p.write(defaultCertName, []byte("no certificate"))
	time.Sleep(500 * time.Millisecond)
	if err := p.ask(renewed, serviceName); err != nil {
		t.Errorf("after a file that cannot be read: %v", err)
	}
	again := p.certificate(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), serviceName)
	p.eventually("the next certificate is used", func() error { return p.ask(again, serviceName) })
}

func TestWebhookErrorsSayWhatToDo(t *testing.T) {
	register := func(mgr manager.Manager) { mgr.GetWebhookServer().Register("/mutate", answer()) }
	for name, test := range map[string]struct {
		setup   func(manager.Manager)
		prepare func(*webhookProcess)
		says    string
	}{
		"no certificate": {register, func(*webhookProcess) {}, "tls.crt: no such file or directory: put tls.crt and tls.key into the folder that --webhook-cert-path names"},
		"no key": {register, func(p *webhookProcess) {
			p.certificate(time.Now(), time.Now().Add(time.Hour), serviceName)
			if err := os.Remove(filepath.Join(p.settings.WebhookCertPath, defaultCertKey)); err != nil {
				p.t.Fatal(err)
			}
		}, "tls.key: no such file or directory"},
		"other names of the files": {register, func(p *webhookProcess) { p.settings.WebhookCertName, p.settings.WebhookCertKey = "a.pem", "b.pem" }, "put a.pem and b.pem"},
		"what is no certificate": {register, func(p *webhookProcess) {
			p.write(defaultCertName, []byte("no certificate"))
			p.write(defaultCertKey, []byte("no key"))
		}, "in the folder that --webhook-cert-path names: tls: failed to find any PEM data"},
		"the key of another certificate": {register, func(p *webhookProcess) {
			p.certificate(time.Now(), time.Now().Add(time.Hour), serviceName)
			old, err := os.ReadFile(filepath.Join(p.settings.WebhookCertPath, defaultCertKey))
			if err != nil {
				p.t.Fatal(err)
			}
			p.certificate(time.Now(), time.Now().Add(time.Hour), serviceName)
			p.write(defaultCertKey, old)
		}, "private key does not match public key"},
		"two webhooks at one path": {func(mgr manager.Manager) {
			register(mgr)
			register(mgr)
		}, func(p *webhookProcess) { p.certificate(time.Now(), time.Now().Add(time.Hour), serviceName) }, "two webhooks are registered at path /mutate"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newWebhookProcess(t, test.setup)
			test.prepare(p)
			p.start()
			select {
			case err := <-p.ended:
				p.ended <- nil
				if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error is %v, want one line with %q", err, test.says)
				}
			case <-time.After(30 * time.Second):
				t.Error("it goes on")
			}
		})
	}
}

func TestNoCertificateIsNeededWithoutWebhooks(t *testing.T) {
	for name, test := range map[string]struct {
		setup func(manager.Manager)
		port  int
	}{
		"nobody asks for the server": {func(manager.Manager) {}, 1},
		"somebody asks whether it has started": {func(mgr manager.Manager) {
			_ = mgr.AddReadyzCheck("webhook", mgr.GetWebhookServer().StartedChecker())
		}, 1},
		"webhooks are not to be served": {func(mgr manager.Manager) {
			mgr.GetWebhookServer().Register("/mutate", answer())
			_ = mgr.AddReadyzCheck("webhook", mgr.GetWebhookServer().StartedChecker())
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newWebhookProcess(t, test.setup)
			p.settings.WebhookPort *= test.port
			p.start()
			p.eventually("the process is ready", func() error { return p.probe("/readyz") })
			select {
			case err := <-p.ended:
				p.ended <- nil
				t.Errorf("it has ended: %v", err)
			case <-time.After(200 * time.Millisecond):
			}
		})
	}
}

func TestWebhookServerOfTheAuthorsOwn(t *testing.T) {
	p := newWebhookProcess(t, func(mgr manager.Manager) { mgr.GetWebhookServer().Register("/mutate", answer()) })
	trusted := p.certificate(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), serviceName)
	p.settings.WebhookServer = webhook.NewServer(webhook.Options{Port: p.settings.WebhookPort, CertDir: p.settings.WebhookCertPath})
	p.settings.WebhookCertPath = "/nowhere"
	p.start()
	p.eventually("a webhook is served", func() error { return p.ask(trusted, serviceName) })
	p.eventually("the process is ready", func() error { return p.probe("/readyz/webhooks") })
}
