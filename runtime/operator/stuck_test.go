package operator_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// refusing is an admission webhook that refuses what is done to ConfigMaps in a
// namespace by a conflict, while it is on.
func refusing(t *testing.T, f *fixture, does ...admissionregistrationv1.OperationType) (on *atomic.Bool) {
	t.Helper()
	on = new(atomic.Bool)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
			t.Error(err)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: !on.Load(), Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the change freeze lasts until Monday",
		}}
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	hook := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: f.Namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "freeze.test.opgen.dev", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      ptr.To(server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{Operations: does, Rule: admissionregistrationv1.Rule{
				APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"},
			}}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: f.Namespace}},
		}},
	}
	if err := f.Client.Create(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Client.Delete(context.Background(), hook); err != nil {
			t.Error(err)
		}
	})
	return on
}

func TestAConflictThatDoesNotPassIsShown(t *testing.T) {
	value := func(value string) Function {
		return wants(func(want *Desired) {
			if value != "" {
				want.ConfigMaps.Add(configMap("web", value))
			}
		})
	}
	f := start(t, &author{sync: value("one")})
	f.status("Ready", "Ready")
	on := refusing(t, f, admissionregistrationv1.Update, admissionregistrationv1.Delete)
	on.Store(true)
	for _, wanted := range []string{"two", ""} {
		f.Eventually("the webhook is asked", func() error { // the API server takes its time to know of it
			child := configMap("web", "")
			f.Get(child)
			child.Annotations["try"] = wanted
			err := f.Client.Update(t.Context(), child)
			if err == nil {
				return errors.New("it was not")
			}
			if !strings.Contains(err.Error(), "change freeze") {
				return err
			}
			return nil
		})
		f.setSync(value(wanted))
		f.pass()
		message := f.status("Ready", "ApplyFailed").Conditions[0].Message
		for _, says := range []string{"conflicts in 10 passes in a row: ConfigMap " + f.Namespace + "/web: ", "the change freeze lasts until Monday"} {
			if !strings.Contains(message, says) {
				t.Errorf("message is %q, want it to say %q", message, says)
			}
		}
		on.Store(false)
		f.status("Ready", "Ready")
		on.Store(true)
	}
	f.Gone(configMap("web", ""))
}
