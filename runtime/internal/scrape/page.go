package scrape

import (
	"net/http"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// metricsPath is where controller-runtime serves metrics.
const metricsPath = "/metrics"

// FilterProvider makes a filter of what a server of metrics serves.
type FilterProvider = func(*rest.Config, *http.Client) (server.Filter, error)

// WithOwn returns a provider of filters that add the metrics of one operator to those of the process.
// Two operators in one process, as in tests, each serve their own. The filter of next, which may be nil,
// comes first.
func WithOwn(own prometheus.Gatherer, next FilterProvider) FilterProvider {
	page := promhttp.HandlerFor(prometheus.Gatherers{metrics.Registry, own}, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})
	return func(config *rest.Config, client *http.Client) (server.Filter, error) {
		filter := func(_ logr.Logger, handler http.Handler) (http.Handler, error) { return handler, nil }
		if next != nil {
			var err error
			if filter, err = next(config, client); err != nil {
				return nil, err
			}
		}
		return func(log logr.Logger, handler http.Handler) (http.Handler, error) {
			return filter(log, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				if request.URL.Path == metricsPath {
					page.ServeHTTP(w, request)
					return
				}
				handler.ServeHTTP(w, request)
			}))
		}, nil
	}
}
