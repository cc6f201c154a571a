package operator_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// canary is a part of every secret value here. The length has base64 keep it together.
const canary = "canary-of-value"

// secretly desires a Secret and a Pod, whose values follow the Site's text: a change
// of it is refused.
func secretly(_ context.Context, req *Request) (*Response, error) {
	value := canary + "<" + req.Parent.Spec.Text + ">"
	want := new(Desired)
	want.Secrets.Add(named(&corev1.Secret{Immutable: ptr.To(true), Data: map[string][]byte{"password": []byte(value)}}, "frozen"))
	want.Secrets.Add(named(&corev1.Secret{StringData: map[string]string{"password": value}}, "open"))
	want.Secrets.Add(named(&corev1.Secret{Immutable: ptr.To(true)}, "made"), operator.Generate("password", operator.Random(24), req.Parent.Spec.Text))
	want.Pods.Add(named(&corev1.Pod{Spec: corev1.PodSpec{
		NodeSelector: map[string]string{"disk": "none"},
		Containers:   []corev1.Container{{Name: "main", Image: "web:1", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: value}}}},
	}}, "web"), operator.InPlace)
	return &Response{Children: want}, nil
}

func TestNothingThatTheOperatorSaysHoldsASecretValue(t *testing.T) {
	f := alone(t)
	spans, metrics := receive(t), freeAddress(t)
	p := f.launch("secretly", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + spans.URL, "OTEL_BSP_SCHEDULE_DELAY=50"},
		"--log-format=json", "--log-level=debug", "--metrics-bind-address="+metrics, "--metrics-secure=false")
	f.Create(f.site)
	made := named(&corev1.Secret{}, "made")
	f.Exists(named(&corev1.Pod{}, "web"), named(&corev1.Secret{}, "frozen"), named(&corev1.Secret{}, "open"), made)
	generated := made.Data["password"]
	open := named(&corev1.Secret{}, "open")
	for _, theirs := range []string{canary + "theirs", canary + "theirs again", canary + "theirs for ever"} { // until the operator says so
		f.Update(open, func() { open.Data["password"] = []byte(theirs) })
		f.Eventually("the Secret is repaired or left alone", func() error {
			if f.Get(open); string(open.Data["password"]) == theirs && p.log.count("FieldConflict") == 0 && f.Get(f.site) && !strings.Contains(fmt.Sprint(f.site.Status.Conditions), "keeps changing") {
				return fmt.Errorf("it is neither")
			}
			return nil
		})
	}
	f.Update(f.site, func() { f.site.Spec.Text = "changed" })
	refused := f.status("Ready", "InvalidChild")
	var events *eventsv1.EventList
	f.Eventually("an Event tells of it", func() error {
		events = new(eventsv1.EventList)
		if err := f.Client.List(t.Context(), events, client.InNamespace(f.Namespace)); err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == "InvalidChild" {
				return nil
			}
		}
		return fmt.Errorf("%d do not", len(events.Items))
	})
	f.Eventually("a span tells of it", func() error {
		spans.mu.Lock()
		defer spans.mu.Unlock()
		for _, span := range spans.spans {
			if strings.Contains(span.Status.GetMessage(), "Pod") {
				return nil
			}
		}
		return fmt.Errorf("%d spans do not", len(spans.spans))
	})
	_, page, err := scrape("http://"+metrics+"/metrics", "")
	if err != nil || !strings.Contains(page, "opgen_") {
		t.Errorf("metrics: %.100s, %v", page, err)
	}
	p.log.Lock()
	log := p.log.String()
	p.log.Unlock()
	spans.mu.Lock()
	defer spans.mu.Unlock()
	for what, text := range map[string]string{
		"a condition": fmt.Sprint(refused), "an Event": fmt.Sprint(events), "the log": log, "a metric": page, "a span": fmt.Sprint(spans.spans),
	} {
		for _, secret := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary)), string(generated), base64.StdEncoding.EncodeToString(generated)} {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s holds a secret value: …%s…", what, text[max(0, at-200):min(len(text), at+100)])
			}
		}
	}
	message := refused.Conditions[0].Message
	for _, says := range []string{"Secret " + f.Namespace + "/frozen: data cannot be changed in place", "Secret " + f.Namespace + "/made: data cannot be changed in place", "Pod " + f.Namespace + "/web: spec cannot be changed in place"} {
		if !strings.Contains(message, says) {
			t.Errorf("message is %q, want it to say %q", message, says)
		}
	}
}
