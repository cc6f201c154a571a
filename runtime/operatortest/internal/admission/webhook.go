package admission

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const webhookName = "admission.operatortest.opgen.dev"

// admissionAnswer is the answer of a webhook for an object.
type admissionAnswer struct {
	patch  []byte         // a JSON patch; nil: none
	denied *metav1.Status // nil: it is admitted
}

// serveWebhook serves an admission webhook until the test ends. It refuses the probe, and calls
// decide for all other objects. It returns the webhook's address and certificate.
func (f *Fixtures) serveWebhook(decide func(object []byte) (admissionAnswer, error), probe string) (url string, authority []byte) {
	f.T.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "this is no AdmissionReview", http.StatusBadRequest)
			return
		}
		review.Response = answerReview(review.Request, decide, probe)
		if err := json.NewEncoder(w).Encode(review); err != nil {
			f.T.Logf("answer the API server's admission review: %v", err)
		}
	}))
	f.T.Cleanup(server.Close)
	return server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

func answerReview(asked *admissionv1.AdmissionRequest, decide func(object []byte) (admissionAnswer, error), probe string) *admissionv1.AdmissionResponse {
	answer := &admissionv1.AdmissionResponse{UID: asked.UID}
	if asked.Name == probe {
		answer.Result = &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: inEffect}
		return answer
	}
	decided, err := decide(asked.Object.Raw)
	switch {
	case err != nil:
		answer.Result = &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	case decided.denied != nil:
		answer.Result = decided.denied
	default:
		answer.Allowed = true
		if decided.patch != nil {
			answer.Patch, answer.PatchType = decided.patch, ptr.To(admissionv1.PatchTypeJSONPatch)
		}
	}
	return answer
}
