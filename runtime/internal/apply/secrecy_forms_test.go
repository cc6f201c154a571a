package apply

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The text of an error is hidden in each form in which a program may quote a value.
func TestSecretsAreHiddenInEachForm(t *testing.T) {
	const password, key = "pa$$ word/9?", "-----BEGIN KEY-----\nMIIEvQIBADAN\n-----END KEY-----\n"
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string][]byte{"password": []byte(password), "key": []byte(key), "short": []byte("ab"), "name": []byte("web")}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Command: []string{"sh", "-c", "login --as=root"}, Args: []string{"--token=abcdef0123", "on"}, Env: []corev1.EnvVar{{Name: "KEY", Value: key}},
	}}}}
	nothing := func() map[string]any { return nil }
	ofSecret := Desired{content: nothing, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Name: types.NamespacedName{Name: "web"}}
	ofPod := Desired{content: nothing, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Name: types.NamespacedName{Name: "web"}}
	for name, test := range map[string]struct{ text, want string }{
		"as it is":                       {"bad " + password + " in web", "bad (hidden) in web"},
		"in Go's quotes":                 {fmt.Sprintf("bad %q", password), `bad "(hidden)"`},
		"within a quoted text":           {fmt.Sprintf("%q", "it is "+key), `"it is (hidden)"`},
		"in base64":                      {"bad " + b64(password), "bad (hidden)"},
		"in base64 without the end":      {"bad " + strings.TrimRight(b64(password), "="), "bad (hidden)"},
		"in base64 of URLs":              {"bad " + base64.URLEncoding.EncodeToString([]byte(password)), "bad (hidden)"},
		"in a query":                     {"get /?p=" + url.QueryEscape(password) + ": 404", "get /?p=(hidden): 404"},
		"in a path":                      {"get /" + url.PathEscape(password) + ": 404", "get /(hidden): 404"},
		"several lines, as they are":     {"bad " + key + "in key", "bad (hidden)in key"},
		"several lines, cut off":         {"bad " + key[:33], "bad (hidden) …"},
		"one of its lines":               {"line 2: MIIEvQIBADAN is none", "line 2: (hidden) is none"},
		"a line in base64":               {"line 2: " + b64("MIIEvQIBADAN"), "line 2: (hidden)"},
		"a short value in quotes":        {`bad "ab"`, `bad "(hidden)"`},
		"a short value within a word":    {"the table is bad", "the table is bad"},
		"the name of the child":          {`Secret "web" is bad`, `Secret "web" is bad`},
		"an object after the first line": {"bad\n" + password, "bad …"},
		"nothing of it":                  {"it is full", "it is full"},
	} {
		t.Run("Secret/"+name, func(t *testing.T) {
			if got := hideSecrets(errors.New(test.text), ofSecret, secret).Error(); got != test.want {
				t.Errorf("%q is shown as %q, want %q", test.text, got, test.want)
			}
		})
	}
	for name, test := range map[string]struct{ text, want string }{
		"an argument":             {`Invalid value: "--token=abcdef0123"`, `Invalid value: "(hidden)"`},
		"the value of an option":  {"abcdef0123 is too old", "(hidden) is too old"},
		"a command":               {"login --as=root failed", "(hidden) failed"},
		"a short argument":        {`it is "on"`, `it is "on"`},
		"an environment variable": {"key MIIEvQIBADAN", "key (hidden)"},
	} {
		t.Run("Pod/"+name, func(t *testing.T) {
			if got := hideSecrets(errors.New(test.text), ofPod, pod).Error(); got != test.want {
				t.Errorf("%q is shown as %q, want %q", test.text, got, test.want)
			}
		})
	}
}

// A Secret has up to 1 MiB.
func TestHidingALargeSecretEnds(t *testing.T) {
	lines := make([]string, 1<<16)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %08d", i)
	}
	value := strings.Join(lines, "\n")
	begun := time.Now()
	text := hideValues("refused: "+value, map[string]bool{value: true}, "web")
	if took := time.Since(begun); text != "refused: (hidden)" || took > 10*time.Second {
		t.Errorf("after %s, %.50q", took, text)
	}
}
