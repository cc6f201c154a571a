package apply

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// serveAdmission serves the answers of a webhook, and returns where the API server finds it.
func (s *server) serveAdmission(answer func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) admissionregistrationv1.WebhookClientConfig {
	s.t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
			s.t.Error(err)
			return
		}
		review.Response = answer(review.Request)
		review.Response.UID = review.Request.UID
		if err := json.NewEncoder(w).Encode(review); err != nil {
			s.t.Error(err)
		}
	}))
	s.t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return admissionregistrationv1.WebhookClientConfig{URL: ptr.To(server.URL), CABundle: certificate}
}

// installWebhook creates the configuration of a webhook until the end of the test.
func (s *server) installWebhook(hook client.Object) {
	s.t.Helper()
	hook.SetName(s.namespace)
	if err := s.Client.Create(s.t.Context(), hook); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := s.Client.Delete(context.WithoutCancel(s.t.Context()), hook); err != nil {
			s.t.Error(err)
		}
	})
}

// ofNamespace selects the objects of the test's namespace.
func (s *server) ofNamespace() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.namespace}}
}

func webhookRules(resources string, operations ...admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: operations, Rule: admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{resources}},
	}}
}

// mutate installs a webhook that answers with a JSON patch for an object, or with an error, and waits until it is asked.
func (s *server) mutate(resources string, patch func(request *admissionv1.AdmissionRequest, object object) (any, error), operations ...admissionregistrationv1.OperationType) {
	s.t.Helper()
	var asked atomic.Bool
	address := s.serveAdmission(func(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		asked.Store(true)
		var content object
		if err := json.Unmarshal(request.Object.Raw, &content); err != nil {
			s.t.Error(err)
		}
		response := &admissionv1.AdmissionResponse{Allowed: true}
		steps, err := patch(request, content)
		if err != nil {
			response.Allowed, response.Result = false, &metav1.Status{Message: err.Error(), Code: http.StatusBadRequest}
		} else if steps != nil {
			body, _ := json.Marshal(steps)
			response.Patch, response.PatchType = body, ptr.To(admissionv1.PatchTypeJSONPatch)
		}
		return response
	})
	s.installWebhook(&admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Name: "mutate.apply.opgen.dev", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
		ClientConfig: address, Rules: webhookRules(resources, operations...), NamespaceSelector: s.ofNamespace(),
	}}})
	s.eventually("the webhook is asked", func() bool {
		probes := map[string]client.Object{"configmaps": configMap("a", "b"), "deployments": deployment(nil)}
		probe := probes[resources]
		probe.SetNamespace(s.namespace)
		probe.SetName("probe")
		_ = s.Client.Create(s.t.Context(), probe, client.DryRunAll)
		return asked.Load()
	})
}

// refuseByWebhook installs a webhook that refuses every update of objects of the
// namespace by the code that validation has.
func (s *server) refuseByWebhook(resources string, cause metav1.StatusCause) {
	s.t.Helper()
	address := s.serveAdmission(func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: cause.Message,
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{cause}},
		}}
	})
	s.installWebhook(&admissionregistrationv1.ValidatingWebhookConfiguration{Webhooks: []admissionregistrationv1.ValidatingWebhook{{
		Name: "freeze.apply.opgen.dev", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
		ClientConfig: address, Rules: webhookRules(resources, admissionregistrationv1.Update), NamespaceSelector: s.ofNamespace(),
	}}})
}

func setAt(path string, value any) []object {
	return []object{{"op": "add", "path": path, "value": value}}
}
