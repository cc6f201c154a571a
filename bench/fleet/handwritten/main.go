// Command handwritten is the operator of EchoServers as its author writes it with controller-runtime: carefully, with
// CreateOrUpdate and a status that is written when it differs, or with a server-side apply of everything in each reconcile.
package main

import (
	"flag"
	"log/slog"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
)

func main() {
	if err := run(); err != nil {
		slog.Error("ended", "err", err)
		os.Exit(1)
	}
}

func run() error {
	naive := flag.Bool("apply", false, "apply everything in each reconcile")
	workers := flag.Int("workers", 10, "how many parents to work on at once")
	resync := flag.Duration("resync", 10*time.Hour, "how often to look at every parent again")
	metrics := flag.String("metrics-bind-address", "0", "where metrics are served")
	flag.Parse()

	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	config.UserAgent = rest.DefaultKubernetesUserAgent()
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{SyncPeriod: resync, DefaultTransform: cache.TransformStripManagedFields()},
		Metrics: metricsserver.Options{BindAddress: *metrics},
	})
	if err != nil {
		return err
	}
	add := addCareful
	if *naive {
		add = addNaive
	}
	if err := add(mgr, *workers); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
