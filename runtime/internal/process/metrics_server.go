package process

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/opgen-dev/opgen/runtime/internal/scrape"
)

// metricsOptions returns the options of the metrics server. It returns an error if the server is to
// have a certificate that is missing: controller-runtime's would make one of its own, which no client
// trusts.
func metricsOptions(options Options, registry *prometheus.Registry) (metricsserver.Options, error) {
	server := metricsserver.Options{BindAddress: options.MetricsAddress, FilterProvider: scrape.WithOwn(registry, nil)}
	if !options.MetricsSecure {
		return server, nil
	}
	server.SecureServing, server.FilterProvider = true, scrape.WithOwn(registry, scrape.Filter)
	server.CertDir = options.MetricsCertPath
	server.CertName, server.KeyName = cmp.Or(options.MetricsCertName, defaultCertName), cmp.Or(options.MetricsCertKey, defaultCertKey)
	if server.CertDir == "" || server.BindAddress == "0" {
		return server, nil
	}
	for _, name := range []string{server.CertName, server.KeyName} {
		if _, err := os.Stat(filepath.Join(server.CertDir, name)); errors.Is(err, fs.ErrNotExist) {
			return server, fmt.Errorf("the metrics server has no certificate: %w: put %s and %s into the folder that --metrics-cert-path names, or leave the flag out", err, server.CertName, server.KeyName)
		}
	}
	return server, nil
}
