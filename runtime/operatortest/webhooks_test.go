package operatortest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// registerWebhooks registers a webhook that labels ConfigMaps, and one that refuses some.
func registerWebhooks(o *operator.Options) {
	operator.Setup(func(mgr operator.Manager) error {
		server := mgr.GetWebhookServer()
		server.Register("/mutate-v1-configmap", &webhook.Admission{Handler: admission.HandlerFunc(func(context.Context, webhook.AdmissionRequest) webhook.AdmissionResponse {
			return webhook.Patched("", webhook.JSONPatchOp{Operation: "add", Path: "/metadata/labels", Value: map[string]string{"mutated": "yes"}})
		})})
		server.Register("/validate-v1-configmap", &webhook.Admission{Handler: admission.HandlerFunc(func(_ context.Context, request webhook.AdmissionRequest) webhook.AdmissionResponse {
			if strings.Contains(string(request.Object.Raw), `"text":"bad"`) {
				return webhook.Denied("bad text")
			}
			return webhook.Allowed("")
		})})
		return nil
	})(o)
}

func TestProjectsWebhooksAreAskedInTheTestsNamespace(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		Webhooks:    []string{"testdata/webhooks.yaml"},
		Options:     registerWebhooks,
	})
	for _, name := range []string{"first", "restarted"} {
		good := textMap(name, "good")
		cluster.Create(good)
		if good.Labels["mutated"] != "yes" {
			t.Errorf("%s: labels are %v", name, good.Labels)
		}
		bad := textMap("bad", "bad")
		bad.Namespace = cluster.Namespace
		if err := cluster.Client.Create(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "bad text") {
			t.Errorf("%s: a bad object is answered %v", name, err)
		}
		if name == "first" {
			cluster.Restart()
			cluster.Eventually("webhooks are served again", func() error {
				probe := textMap("probe", "good")
				probe.Namespace = cluster.Namespace
				return cluster.Client.Create(t.Context(), probe, client.DryRunAll)
			})
		}
	}
	other := textMap("bad", "bad")
	other.Namespace = elsewhere(t, cluster)
	if err := cluster.Client.Create(t.Context(), other); err != nil || other.Labels["mutated"] != "" {
		t.Errorf("in another namespace: %v, labels %v", err, other.Labels)
	}
}

func TestOperatorWithWebhooksNeedsNoCertificateInTests(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		Options: func(o *operator.Options) {
			operator.Setup(func(mgr operator.Manager) error {
				mgr.GetWebhookServer().Register("/mutate", http.NotFoundHandler())
				return nil
			})(o)
		},
	})
	cluster.Create(textMap("any", "good"))
	cluster.Restart()
	cluster.Settled()
	got := &corev1.ConfigMap{}
	if err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: cluster.Namespace, Name: "any"}, got); err != nil {
		t.Error(err)
	}
}
