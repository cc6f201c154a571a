package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

func readItems(of runtime.Object, body string) (string, error) {
	l := &listing{newObject: of.DeepCopyObject, of: &listings{logger: slog.New(slog.DiscardHandler)}}
	text, err := io.ReadAll(&readableBody{Closer: io.NopCloser(nil), documents: json.NewDecoder(strings.NewReader(body)), listing: l})
	return string(text), err
}

// Whatever does not decode, the reason names its field, and not its value.
func TestUnreadableObjectsBecomeTheirMetadata(t *testing.T) {
	const mine = `{"manager":"opgen/a.b","operation":"Apply"}`
	for _, test := range []struct {
		of           client.Object
		spec, reason string
	}{
		{&corev1.Pod{}, `"spec":{"priority":"secret"}`, ".spec.priority has a value of JSON type string, which the operator's Go type int32 cannot hold"},
		{&corev1.Pod{}, `"spec":{"priority":3000000000}`, ".spec.priority has a value of JSON type number, which the operator's Go type int32 cannot hold"},
		{&corev1.Pod{}, `"spec":{"priority":1.5}`, ".spec.priority has a value of JSON type number, which the operator's Go type int32 cannot hold"},
		{&corev1.Pod{}, `"spec":{"containers":[{"name":"a"},{"name":"b","ports":[{},{"containerPort":[]}]}]}`, ".spec.containers[1].ports[1].containerPort has a value of JSON type array, which the operator's Go type int32 cannot hold"},
		{&corev1.Pod{}, `"spec":{"overhead":{"cpu":"secret"}}`, ".spec.overhead.cpu is not what the operator's Go type can hold"},
		{&corev1.Pod{}, `"status":{"startTime":"secret"}`, ".status.startTime is not what the operator's Go type can hold"},
		{&corev1.Pod{}, `"spec":"secret"`, ".spec has a value of JSON type string, which the operator's Go type v1.PodSpec cannot hold"},
		{&corev1.Secret{}, `"data":{"a":"secret?"}`, ".data.a is not what the operator's Go type can hold"},
		{&networkingv1.NetworkPolicy{}, `"spec":{"ingress":[{"ports":[{"port":true}]}]}`, ".spec.ingress[0].ports[0].port has a value of JSON type bool, which the operator's Go type int32 cannot hold"},
	} {
		metadata := `"apiVersion":"v1","kind":"K","metadata":{"name":"bad","uid":"1","managedFields":[` + mine + `]}`
		bad := "{" + metadata + "," + test.spec + "}"
		for name, body := range map[string]string{
			"list":  `{"kind":"KList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"good"}},` + bad + `]}`,
			"watch": `{"type":"ADDED","object":{"metadata":{"name":"good"}}}` + "\n" + `{"type":"MODIFIED","object":` + bad + "}\n",
		} {
			text, err := readItems(test.of, body)
			if err != nil {
				t.Fatal(err)
			}
			at := strings.LastIndex(text, `{"apiVersion"`)
			got := test.of.DeepCopyObject().(client.Object)
			if at < 0 || json.NewDecoder(strings.NewReader(text[at:])).Decode(got) != nil {
				t.Fatalf("%s of %s: no object in %s", name, test.spec, text)
			}
			if reason := managedfields.UnreadableReason(got); reason != test.reason {
				t.Errorf("%s of %s says %q, expected %q", name, test.spec, reason, test.reason)
			}
			if got.GetName() != "bad" || got.GetUID() != "1" || len(got.GetManagedFields()) != 2 || !strings.Contains(text, `"good"`) || strings.Contains(text, "secret") {
				t.Errorf("%s of %s became %s", name, test.spec, text)
			}
			if _, err := managedfields.NewTrimmer().Trim(got); err != nil || managedfields.UnreadableReason(got) != test.reason {
				t.Errorf("a cache drops the mark: %v %v", got.GetManagedFields(), err)
			}
		}
	}
}

// What is no object of the kind stays as it is.
func TestErrorsAndBookmarksStay(t *testing.T) {
	for _, event := range []string{
		`{"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410}}`,
		`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9"}}}`,
	} {
		text, err := readItems(&corev1.Pod{}, event)
		var before, after any
		if json.Unmarshal([]byte(event), &before) != nil || json.Unmarshal([]byte(text), &after) != nil || fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("%s became %s, %v", event, text, err)
		}
	}
	if _, err := readItems(&corev1.Pod{}, `{"items":[`); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a list that is cut off: %v", err)
	}
}

// BenchmarkReadItems compares a list that is read item by item with one that is not.
func BenchmarkReadItems(b *testing.B) {
	item := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b","env":[{"name":"a","value":"b"}]}]}}`
	body := `{"items":[` + strings.Repeat(item+",", 9_999) + item + `]}`
	for name, isLenient := range map[string]bool{"strict": false, "lenient": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text := body
				if isLenient {
					text, _ = readItems(&corev1.Pod{}, body)
				}
				if err := utiljson.Unmarshal([]byte(text), new(corev1.PodList)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
