package simulation

import (
	"encoding/base64"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// withGenerated returns what is desired of a child with its generated values, and the tokens that they
// were generated for. A value stays until another token asks for another one.
func (w *World) withGenerated(t *task, existing *child) (content map[string]any, tokens map[string]string) {
	content, tokens = runtime.DeepCopyJSON(t.content), map[string]string{}
	if len(t.Generate) == 0 {
		return content, tokens
	}
	data, _ := content["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for _, generated := range t.Generate {
		value, isStored := existing.generatedValue(generated)
		if !isStored {
			w.made++
			text := strings.Repeat(fmt.Sprintf("%dgenerated", w.made), max(int(generated.Length), 0))
			value = []byte(text[:max(int(generated.Length), 0)])
		}
		data[generated.Key], tokens[generated.Key] = base64.StdEncoding.EncodeToString(value), generated.Token
	}
	content["data"] = data
	return content, tokens
}

// generatedValue returns the stored value of a key if it was generated for the same token.
func (c *child) generatedValue(generated declared.GeneratedKey) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	secret, ok := c.object.(*corev1.Secret)
	if token, isKnown := c.tokens[generated.Key]; !ok || !isKnown || token != generated.Token {
		return nil, false
	}
	value, ok := secret.Data[generated.Key]
	return value, ok
}

// withoutText returns a Secret's content with its stringData in data, as the API server stores it.
func withoutText(content map[string]any) map[string]any {
	text, ok := content["stringData"].(map[string]any)
	if !ok {
		return content
	}
	stored := runtime.DeepCopyJSON(content)
	delete(stored, "stringData")
	data, _ := stored["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range text {
		data[key] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(value)))
	}
	stored["data"] = data
	return stored
}
