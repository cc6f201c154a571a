package scrape

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestEachOperatorServesItsOwnMetricsWithThoseOfTheProcess(t *testing.T) {
	other := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "other") })
	page := func(t *testing.T, provider FilterProvider, path string) (int, string) {
		t.Helper()
		filter, err := provider(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		handler, err := filter(logr.Discard(), other)
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code, answer.Body.String()
	}
	for _, value := range []string{"1", "2"} { // twice in one process
		registry := prometheus.NewRegistry()
		gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "shop_orders", Help: "Orders."})
		registry.MustRegister(gauge)
		gauge.Set(float64(value[0] - '0'))
		status, text := page(t, WithOwn(registry, nil), "/metrics")
		if status != http.StatusOK || !strings.Contains(text, "shop_orders "+value+"\n") || !strings.Contains(text, "rest_client_requests_total") && !strings.Contains(text, "go_goroutines") {
			t.Errorf("the page is %d %.300s", status, text)
		}
		if _, text := page(t, WithOwn(registry, nil), "/debug"); text != "other" {
			t.Errorf("another path of the server has %q", text)
		}
		refuse := func(*rest.Config, *http.Client) (server.Filter, error) {
			return func(logr.Logger, http.Handler) (http.Handler, error) { return http.NotFoundHandler(), nil }, nil
		}
		if status, _ := page(t, WithOwn(registry, refuse), "/metrics"); status != http.StatusNotFound {
			t.Errorf("a filter that refuses everybody lets the page out: %d", status)
		}
	}
}
