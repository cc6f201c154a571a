package operator

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Main runs the controllers of a project until the process is told to stop. It
// is all that a generated main function calls.
//
// It reads the command line (--help lists the flags) and environment variables
// of the same names (--workers is OPERATOR_WORKERS), and finds the cluster as
// kubectl does, or in a Pod by its ServiceAccount. It exits with 0 when told to
// stop, with 2 on a wrong command line, and otherwise with 1 and one line that
// says why.
func Main(controllers func(Manager) ([]Controller, error), options ...Option) {
	s, err := parse(os.Args[0], os.Args[1:], os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := &output{to: os.Stderr}
	s.Logger = s.logger(out)
	log.SetLogger(logr.FromSlogHandler(s.Logger.Handler())) // of controller-runtime
	klog.SetSlogLogger(s.Logger)                            // of client-go
	if err := s.run(controllers, options); err != nil {
		out.end(err)
		os.Exit(1)
	}
}

// run finds the cluster and runs the controllers until a signal comes.
func (s *settings) run(controllers func(Manager) ([]Controller, error), options []Option) error {
	for _, option := range options {
		option(&s.Options)
	}
	config, err := s.connect()
	if err != nil {
		return explain(err, "")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	flush, err := exportSpans(ctx, filepath.Base(os.Args[0]), os.Getenv, cmp.Or(s.Logger, slog.Default()))
	if err != nil {
		return fmt.Errorf("OpenTelemetry's variables: %w", err)
	}
	defer flush()
	return explain(Run(ctx, config, s.Options, controllers), config.Host)
}

// inKubeconfig names the file in which no cluster was found, which is often one
// that does not exist.
func inKubeconfig(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path + ", which KUBECONFIG names"
}

// explain says what to do about an error that keeps an operator from running.
func explain(err error, host string) error {
	var network *net.OpError
	switch {
	case err == nil:
		return nil
	case clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("no cluster is configured%s: set KUBECONFIG or pass --kubeconfig; opgen cluster up starts a local one", inKubeconfig(os.Getenv("KUBECONFIG")))
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("the API server at %s is not the one that this KUBECONFIG was made for: %w", host, err)
	case errors.As(err, &network) && network.Op == "listen":
		return fmt.Errorf("%w: does another operator run here? --health-probe-bind-address and --metrics-bind-address choose other addresses", err)
	case errors.As(err, &network):
		return fmt.Errorf("cannot reach the API server at %s: %w: check that it runs and that KUBECONFIG is the right one", host, err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server at %s does not accept the credentials of this KUBECONFIG: %w", host, err)
	}
	return err
}
