package process

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
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Main runs controllers as the command line and the environment say, and exits if they
// cannot run. configure changes the options that these set.
func Main(configure func(*Options), newControllers func(manager.Manager) ([]Controller, error)) {
	line, err := parseFlags(os.Args[0], os.Args[1:], os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := &output{to: os.Stderr}
	line.Logger = line.newLogger(out)
	log.SetLogger(logr.FromSlogHandler(newLineHandler(line.Logger.Handler()))) // of controller-runtime
	klog.SetSlogLogger(slog.New(clientHandler{newLineHandler(line.Logger.Handler())}))
	configure(&line.Options)
	if err := line.run(newControllers); err != nil {
		out.end(err)
		os.Exit(1)
	}
}

// run finds the cluster and runs controllers until a signal comes.
func (l *commandLine) run(newControllers func(manager.Manager) ([]Controller, error)) error {
	config, err := l.loadConfig()
	if err != nil {
		return explainError(err, "")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	flush, err := exportSpans(ctx, filepath.Base(os.Args[0]), os.Getenv, cmp.Or(l.Logger, slog.Default()))
	if err != nil {
		return fmt.Errorf("OpenTelemetry's variables: %w", err)
	}
	defer flush()
	return explainError(Run(ctx, config, l.Settings, newControllers), config.Host)
}

// nameKubeconfig names the file of KUBECONFIG in which no cluster was found.
func nameKubeconfig(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path + ", which KUBECONFIG names"
}

// explainError adds what to do about an error that keeps an operator from running.
func explainError(err error, host string) error {
	var network *net.OpError
	switch {
	case err == nil:
		return nil
	case clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("no cluster is configured%s: set KUBECONFIG or pass --kubeconfig; opgen cluster up starts a local one", nameKubeconfig(os.Getenv("KUBECONFIG")))
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("the API server at %s is not the one that this KUBECONFIG was made for: %w", host, err)
	case errors.As(err, &network) && network.Op == "listen":
		return fmt.Errorf("%w: does another operator run here? --health-probe-bind-address, --metrics-bind-address and --webhook-port choose other addresses", err)
	case errors.As(err, &network):
		return fmt.Errorf("cannot reach the API server at %s: %w: check that it runs and that KUBECONFIG is the right one", host, err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server at %s does not accept the credentials of this KUBECONFIG: %w", host, err)
	}
	return err
}
