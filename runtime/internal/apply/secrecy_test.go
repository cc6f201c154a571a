package apply

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The API server prints the values that it refuses.
func TestErrorsHoldNoSecrets(t *testing.T) {
	const canary = "canary\"<value>"
	spec := func(value string) corev1.PodSpec {
		return corev1.PodSpec{NodeSelector: map[string]string{"disk": "none"}, RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{
			Name: "main", Image: "web:1", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: canary + value}, {Name: "NAME", Value: "web"}, {Name: "SHORT", Value: "ab"}},
		}}}
	}
	meta := metav1.ObjectMeta{Name: "web"}
	for name, make := range map[string]func(value string) client.Object{
		"Pod": func(value string) client.Object { return &corev1.Pod{ObjectMeta: meta, Spec: spec(value)} },
		"Job": func(value string) client.Object {
			return &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: spec(value)}}}
		},
		"environment variable of a number": func(value string) client.Object {
			if value == "one" {
				return container(func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "PASSWORD", Value: canary + value}} })
			}
			object := loose(object{})
			at(object.(interface{ UnstructuredContent() map[string]any }).UnstructuredContent(), strings.TrimSuffix(inContainer, ".")).(map[string]any)["env"] = []any{map[string]any{"name": "PASSWORD", "value": int64(12345678)}}
			return object
		},
		"Secret whose data is not base64": func(value string) client.Object {
			if value == "one" {
				return &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"key": []byte(canary)}}
			}
			return &corev1.Secret{ObjectMeta: meta, Type: canary + "type", Data: map[string][]byte{"key": []byte(canary + "type")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := startServer(t).child(make("one"), Desired{})
			c.settle(make("one"))
			_, err := c.reconcile(make("two"))
			if err == nil {
				t.Fatal("the change is not refused")
			}
			for _, secret := range []string{"canary", "value>", "12345678", base64.StdEncoding.EncodeToString([]byte(canary))[:16]} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error has %q: %v", secret, err)
				}
			}
			if len(err.Error()) < 40 {
				t.Errorf("the error says too little: %v", err)
			}
			if status := apierrors.APIStatus(nil); !errors.As(err, &status) {
				t.Errorf("the error is none of the API server's any more: %T", err)
			}
		})
	}
}
