package operator_test

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAConflictThatLastsIsShown(t *testing.T) {
	value := func(value string) Function {
		return desire(func(want *Desired) {
			if value != "" {
				want.ConfigMaps.Add(configMap("web", value))
			}
		})
	}
	f := start(t, &author{sync: value("one")})
	f.status("Ready", "Ready")
	for _, desired := range []string{"two", ""} {
		thaw := f.Deny(&corev1.ConfigMap{}, "", metav1.Status{
			Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the change freeze lasts until Monday",
		})
		f.setSync(value(desired))
		f.reconcile()
		message := f.status("Ready", "ApplyFailed").Conditions[0].Message
		for _, says := range []string{"ConfigMap " + f.Namespace + "/web: conflicts in 10 attempts in a row: ", "the change freeze lasts until Monday"} {
			if !strings.Contains(message, says) {
				t.Errorf("message is %q, want it to say %q", message, says)
			}
		}
		thaw()
		f.status("Ready", "Ready")
	}
	f.Gone(configMap("web", ""))
}
