package process

import (
	"log/slog"
	"testing"
)

func TestSpansAreExportedWhereTheEnvironmentSaysSo(t *testing.T) {
	for _, test := range []struct {
		name string
		env  map[string]string
		want bool
	}{
		{"nothing is set", nil, false},
		{"an endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, true},
		{"an endpoint for traces", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, true},
		{"an exporter at its default endpoint", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
		{"none in spite of an endpoint", map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, false},
		{"an exporter that is not linked", map[string]string{"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, false},
		{"one of two", map[string]string{"OTEL_TRACES_EXPORTER": "console, otlp"}, true},
		{"turned off", map[string]string{"OTEL_SDK_DISABLED": "True", "OTEL_TRACES_EXPORTER": "otlp"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := hasExporter(func(name string) string { return test.env[name] }, slog.New(slog.DiscardHandler))
			if got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestRequestResource(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/namespaces/default/pods/web":                           "pods",
		"/api/v1/namespaces/default/pods":                               "pods",
		"/api/v1/namespaces/default":                                    "namespaces",
		"/api/v1/namespaces/default/status":                             "namespaces/status",
		"/apis/apps/v1/namespaces/default/deployments/web/scale":        "deployments/scale",
		"/apis/demo.example.com/v1/namespaces/a/echoservers/web/status": "echoservers/status",
		"/apis/demo.example.com/v1/realms/web":                          "realms",
		"/version":                                                      "/version",
	} {
		if got := requestResource(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
