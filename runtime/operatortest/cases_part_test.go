package operatortest_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// A case that looks at one field of one child, and at one of the status.
func ExampleCase() {
	testPart = func(t *testing.T) { // func TestText(t *testing.T)
		ledger := operatortest.Defaulted(t, "testdata/defaults.yaml", &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
		want := new(Desired)
		want.ConfigMaps.Add(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"text": "hello"},
		})
		operatortest.Run(t, new(Reconciler).Sync, Case{
			Name:       "the text is that of the schema",
			Given:      Request{Parent: ledger},
			ExpectPart: &Response{Children: want, Status: &Status{Phase: "New"}},
		})
	}
}

var testPart func(*testing.T)

func TestExampleOfPart(t *testing.T) {
	ExampleCase()
	testPart(t)
}

func TestPartShowsWhatIsExpectedAndNotSo(t *testing.T) {
	answer := func(change func(*response, *desired)) *response {
		want := new(desired)
		answer := &response{Children: want, Status: &status{Phase: "Up", Seen: 2}, RequeueAfter: time.Minute}
		change(answer, want)
		return answer
	}
	data := func(name, value string, options ...operator.ChildOption) func(*response, *desired) {
		return func(_ *response, want *desired) {
			one := configMap(name)
			one.Labels, one.Data = map[string]string{"app": name}, map[string]string{"a": value, "b": "same"}
			want.ConfigMaps.Add(one, options...)
			want.ConfigMaps.Keep("old")
		}
	}
	got := answer(data("web", "one", operator.CreateOnly))
	for name, test := range map[string]struct {
		expected *response
		want     string
	}{
		"nothing":      {&response{}, ""},
		"all of it":    {got, ""},
		"a field":      {&response{Children: desiredMap("web", "a", "one")}, ""},
		"no children":  {&response{Children: new(desired)}, ""},
		"other value":  {&response{Children: desiredMap("web", "a", "two")}, "Children.ConfigMaps web.data.a:\n  - \"two\"\n  + \"one\"\n"},
		"other child":  {&response{Children: desiredMap("db", "a", "one")}, "Children.ConfigMaps db:\n  - {\"data\":{\"a\":\"one\"},\"metadata\":{\"name\":\"db\"}}\n"},
		"an option":    {answer(data("web", "one", operator.InPlace)), "Children.ConfigMaps web.(options).Update:\n  - \"InPlace\"\n  + \"CreateOnly\"\n"},
		"the status":   {&response{Status: &status{Phase: "Down"}}, "Status.Phase:\n  - \"Down\"\n  + \"Up\"\n"},
		"its zeros":    {&response{Status: &status{Seen: 2}}, ""},
		"the requeue":  {&response{RequeueAfter: time.Hour}, "RequeueAfter:\n  - 3600000000000\n  + 60000000000\n"},
		"what is kept": {&response{Children: keeping("new")}, "Children.ConfigMaps that are kept:\n  - \"new\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if text := diff.Part(test.expected, got); text != test.want {
				t.Errorf("got\n%s\nwant\n%s", text, test.want)
			}
		})
	}
	if text := diff.Part(&response{Children: new(desired)}, (*response)(nil)); text == "" {
		t.Error("no response is as good as one")
	}
	if text := diff.Part(&response{Status: &status{Seen: 1}}, &response{}); text != "Status:\n  - \"set\"\n  + null\n" {
		t.Errorf("no status: %s", text)
	}
}

func desiredMap(name, key, value string) *desired {
	want, one := new(desired), configMap(name)
	one.Data = map[string]string{key: value}
	want.ConfigMaps.Add(one)
	return want
}

func keeping(name string) *desired {
	want := new(desired)
	want.ConfigMaps.Keep(name)
	return want
}

func TestDefaulted(t *testing.T) {
	second := metav1.TypeMeta{APIVersion: group + "/v2", Kind: "Ledger"}
	for name, test := range map[string]struct {
		given *Ledger
		text  string
	}{
		"absent":          {&Ledger{}, "hello"},
		"set":             {&Ledger{Spec: LedgerSpec{Text: "bye"}}, "bye"},
		"another version": {&Ledger{TypeMeta: second}, "welcome"},
	} {
		t.Run(name, func(t *testing.T) {
			before := test.given.DeepCopyObject()
			got := operatortest.Defaulted(t, "testdata/defaults.yaml", test.given)
			if got.Spec.Text != test.text {
				t.Errorf("got %q, want %q", got.Spec.Text, test.text)
			}
			if text := operatortest.Diff(before, test.given); text != "" {
				t.Errorf("the argument has changed:\n%s", text)
			}
		})
	}
}
