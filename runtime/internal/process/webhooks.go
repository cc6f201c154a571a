package process

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// The names of the webhook server's certificate and key by default, as in a Secret for TLS.
const (
	defaultCertName = "tls.crt"
	defaultCertKey  = "tls.key"
)

// webhookServer is the webhook server of a process: controller-runtime's with a certificate that is
// read again when it changes, or the author's own. It starts once a webhook is registered. Every
// replica serves, since the API server asks any of them.
type webhookServer struct {
	webhook.Server
	options Options
	logger  *slog.Logger

	mu         sync.Mutex
	paths      map[string]bool
	duplicates error
	registered chan struct{} // closed at the first webhook

	certificate *certwatcher.CertWatcher // nil with a server of the author's own
}

var _ webhook.Server = (*webhookServer)(nil)

func newWebhookServer(options Options) *webhookServer {
	s := &webhookServer{Server: options.WebhookServer, options: options, logger: cmp.Or(options.Logger, slog.Default()), paths: map[string]bool{}, registered: make(chan struct{})}
	if s.Server == nil {
		s.Server = webhook.NewServer(webhook.Options{Port: options.WebhookPort, TLSOpts: []func(*tls.Config){func(config *tls.Config) {
			config.GetCertificate = s.certificate.GetCertificate
		}}})
	}
	return s
}

// Register registers a webhook. A second one at the same path is the error of Start, in place of the
// panic of controller-runtime's server.
func (s *webhookServer) Register(path string, hook http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paths[path] {
		s.duplicates = errors.Join(s.duplicates, fmt.Errorf("two webhooks are registered at path %s", path))
		return
	}
	s.paths[path] = true
	s.Server.Register(path, hook)
	if len(s.paths) == 1 {
		close(s.registered)
	}
}

// hasWebhooks reports whether there are webhooks to serve. To the author's own server one may have been added by other ways.
func (s *webhookServer) hasWebhooks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.isOff() && (len(s.paths) > 0 || s.options.WebhookServer != nil)
}

// isOff reports whether the port says that no webhook is served.
func (s *webhookServer) isOff() bool {
	return s.options.WebhookServer == nil && s.options.WebhookPort == 0
}

// Start serves webhooks until ctx is done. It returns an error if there is no certificate, and none
// while no webhook is registered.
func (s *webhookServer) Start(ctx context.Context) error {
	if s.options.WebhookServer == nil { // a handler may have been added to the author's own by other ways
		select {
		case <-s.registered:
		case <-ctx.Done():
			return nil
		}
	}
	s.mu.Lock()
	duplicates := s.duplicates
	s.mu.Unlock()
	switch {
	case duplicates != nil:
		return duplicates
	case s.isOff():
		s.logger.Info("serves none of the registered webhooks", "flag", "--webhook-port=0")
		return nil
	case s.options.WebhookServer != nil:
		return s.Server.Start(ctx)
	}
	if err := s.watchCertificate(ctx); err != nil {
		return err
	}
	return s.Server.Start(ctx)
}

// watchCertificate reads the certificate, now and whenever its files change. A file that cannot be
// read later leaves the certificate as it is.
func (s *webhookServer) watchCertificate(ctx context.Context) error {
	folder := cmp.Or(s.options.WebhookCertPath, filepath.Join(os.TempDir(), "k8s-webhook-server", "serving-certs"))
	certName, keyName := cmp.Or(s.options.WebhookCertName, defaultCertName), cmp.Or(s.options.WebhookCertKey, defaultCertKey)
	watcher, err := certwatcher.New(filepath.Join(folder, certName), filepath.Join(folder, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("webhooks are registered and their server has no certificate: %w: put %s and %s into the folder that --webhook-cert-path names (the generated manifests mount a Secret there, from cert-manager or of your own), or pass --webhook-port=0 to run without webhooks", err, certName, keyName)
	}
	if err != nil {
		return fmt.Errorf("certificate %s and key %s of the webhook server, in the folder that --webhook-cert-path names: %w", filepath.Join(folder, certName), keyName, err)
	}
	s.certificate = watcher
	watcher.RegisterCallback(s.logCertificate)
	go func() {
		if err := watcher.Start(ctx); err != nil {
			s.logger.Error("the webhook server does not see changes of its certificate", "err", err)
		}
	}()
	return nil
}

// logCertificate logs for which names a certificate is and how long. The API server refuses one of
// another name than the Service's or out of its time, and tells only who writes an object.
func (s *webhookServer) logCertificate(certificate tls.Certificate) {
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		return
	}
	log, message := s.logger.Info, "the webhook server has a certificate"
	if now := time.Now(); now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		log, message = s.logger.Error, "the webhook server's certificate is out of its time, and the API server refuses it"
	}
	log(message, "names", leaf.DNSNames, "addresses", leaf.IPAddresses, "notBefore", leaf.NotBefore, "notAfter", leaf.NotAfter)
}

// StartedChecker returns a check that succeeds once webhooks are served, or while none is registered.
func (s *webhookServer) StartedChecker() healthz.Checker {
	started := s.Server.StartedChecker()
	return func(request *http.Request) error {
		if !s.hasWebhooks() {
			return nil
		}
		return started(request)
	}
}
