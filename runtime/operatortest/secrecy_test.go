package operatortest_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestDifferencesHaveThePathsOfSecretsOnly(t *testing.T) {
	pod := func(containers ...corev1.Container) client.Object {
		return &corev1.Pod{Spec: corev1.PodSpec{Containers: containers}}
	}
	with := func(env ...corev1.EnvVar) corev1.Container { return corev1.Container{Name: "main", Env: env} }
	for _, test := range []struct {
		name          string
		expected, got client.Object
		says          string
	}{
		{
			"a Secret", &corev1.Secret{Data: map[string][]byte{"key": []byte("canary")}}, &corev1.Secret{Data: map[string][]byte{"key": []byte("canary-2")}},
			"data.key:\n  - \"(hidden)\"\n  + \"(hidden)\"\n",
		}, {
			"a key that a Secret lacks", &corev1.Secret{Data: map[string][]byte{"tls.key": []byte("canary")}}, &corev1.Secret{Data: map[string][]byte{"key": []byte("canary")}},
			"data[\"tls.key\"]:\n  - \"(hidden)\"\n",
		}, {
			"a Secret without data", &corev1.Secret{Data: map[string][]byte{"key": []byte("canary")}}, &corev1.Secret{},
			"data:\n  - \"(hidden)\"\n",
		}, {
			"an environment variable", pod(with(corev1.EnvVar{Name: "A", Value: "canary"})), pod(with(corev1.EnvVar{Name: "A", Value: "canary-2"})),
			"spec.containers[main].env[A].value:\n  - \"(hidden)\"\n  + \"(hidden)\"\n",
		}, {
			"a variable that is missing", pod(with(corev1.EnvVar{Name: "A", Value: "canary"})), pod(with(corev1.EnvVar{Name: "B", Value: "canary"})),
			"spec.containers[main].env[A]:\n  - {\"name\":\"A\",\"value\":\"(hidden)\"}\n",
		}, {
			"a container that is missing", pod(with(corev1.EnvVar{Name: "A", Value: "canary"})), pod(corev1.Container{Name: "other"}),
			"spec.containers[main]:\n  - {\"env\":[{\"name\":\"A\",\"value\":\"(hidden)\"}],\"name\":\"main\"}\n",
		}, {
			"a ConfigMap", &corev1.ConfigMap{Data: map[string]string{"key": "one"}}, &corev1.ConfigMap{Data: map[string]string{"key": "two"}},
			"data.key:\n  - \"one\"\n  + \"two\"\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := operatortest.DiffSubset(test.expected, test.got)
			if got != test.says || strings.Contains(got, "canary") || strings.Contains(got, "Y2FuYXJ5") {
				t.Errorf("got\n%s\nwant\n%s", got, test.says)
			}
		})
	}
}
