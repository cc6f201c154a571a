package operatortest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// noController runs an operator that does nothing.
func noController(t *testing.T) *operatortest.Cluster {
	t.Helper()
	t.Parallel()
	return operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		CRDs:        []string{"testdata/crd.yaml"},
		Schemes:     runtime.SchemeBuilder{addToScheme},
	})
}

// elsewhere makes a namespace that is not the test's own, as far as the harness
// knows.
func elsewhere(t *testing.T, cluster *operatortest.Cluster) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "operatortest-elsewhere-"}}
	if err := cluster.Client.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Client.Delete(context.Background(), namespace); err != nil {
			t.Error(err)
		}
	})
	return namespace.Name
}

// labelled is a ConfigMap with a label.
func labelled(name, tier string) *corev1.ConfigMap {
	object := textMap(name, "one")
	object.Labels = map[string]string{"tier": tier}
	return object
}

func TestMutateChangesWhatItSelects(t *testing.T) {
	const merge = `{"data":{"text":"changed","more":"added"}}`
	for _, test := range []struct {
		name   string
		like   *corev1.ConfigMap
		patch  string
		object *corev1.ConfigMap
		expect string // the text
	}{
		{"by a merge patch", &corev1.ConfigMap{}, merge, textMap("web", "one"), "changed"},
		{"by a JSON patch", &corev1.ConfigMap{}, `[{"op":"replace","path":"/data/text","value":"changed"}]`, textMap("web", "one"), "changed"},
		{"by removing a field", &corev1.ConfigMap{}, `{"data":null}`, textMap("web", "one"), ""},
		{"by its labels", labelled("", "web"), merge, labelled("web", "web"), "changed"},
		{"not with other labels", labelled("", "web"), merge, labelled("web", "db"), "one"},
		{"by its name", textMap("web", ""), merge, textMap("web", "one"), "changed"},
		{"not of another name", textMap("web", ""), merge, textMap("db", "one"), "one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := noController(t)
			remove := cluster.Mutate(test.like, test.patch)
			cluster.Create(test.object)
			if got := test.object.Data["text"]; got != test.expect {
				t.Errorf("the text is %q, want %q", got, test.expect)
			}
			away := textMap(test.object.Name, "one")
			away.Namespace, away.Labels = elsewhere(t, cluster), test.object.Labels
			cluster.Create(away)
			if away.Data["text"] != "one" {
				t.Errorf("in a namespace that is not the test's the text is %q", away.Data["text"])
			}
			remove()
			cluster.Update(test.object, func() { test.object.Data = map[string]string{"text": "two"} })
			if test.object.Data["text"] != "two" {
				t.Errorf("after the webhook was removed the text is %q", test.object.Data["text"])
			}
		})
	}
}

func TestDenyRefusesWhatItSelects(t *testing.T) {
	freeze := metav1.Status{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "a change freeze"}
	for _, test := range []struct {
		name   string
		like   client.Object
		verb   string
		status metav1.Status
		policy bool
		code   int32             // of a refused update; zero: none is
		denies map[string]string // what is refused, and what the error says
	}{
		{name: "an update", like: &Ledger{}, verb: "update", status: freeze, denies: map[string]string{"update": "a change freeze"}, code: http.StatusConflict},
		{name: "anything", like: &Ledger{}, denies: map[string]string{"create": "the test denies it", "update": "the test denies it", "delete": "the test denies it"}, code: http.StatusForbidden},
		{name: "the status", like: &Ledger{}, verb: "status", status: freeze, denies: map[string]string{"status": "a change freeze"}},
		{name: "another name", like: &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "db"}}},
		{name: "other labels", like: &Ledger{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": "db"}}}},
		{name: "another kind", like: &corev1.Secret{}},
		{name: "an update by a policy", like: &Ledger{}, verb: "update", policy: true, denies: map[string]string{"update": "the test denies it"}, code: http.StatusUnprocessableEntity},
		{name: "anything by a policy with a reason", like: &Ledger{}, policy: true, status: metav1.Status{Reason: metav1.StatusReasonForbidden, Message: "it's frozen"},
			denies: map[string]string{"create": "it's frozen", "update": "it's frozen", "delete": "it's frozen"}, code: http.StatusForbidden},
		{name: "the status by a policy", like: &Ledger{}, verb: "status", policy: true, denies: map[string]string{"status": "the test denies it"}},
		{name: "other labels by a policy", like: &Ledger{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": "db"}}}, policy: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := noController(t)
			cluster.Create(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
			away := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: elsewhere(t, cluster)}}
			if err := cluster.Client.Create(t.Context(), away); err != nil {
				t.Fatal(err)
			}
			deny := cluster.Deny
			if test.policy {
				deny = cluster.DenyByPolicy
			}
			remove := deny(test.like, test.verb, test.status)
			for verb, err := range allVerbs(t, cluster, cluster.Namespace) {
				says, denied := test.denies[verb]
				if (err != nil) != denied || denied && !strings.Contains(err.Error(), says) {
					t.Errorf("%s: %v, want an error that says %q", verb, err, says)
				}
				if status, _ := errors.AsType[*apierrors.StatusError](err); verb == "update" && status != nil && status.ErrStatus.Code != test.code {
					t.Errorf("an update is refused with the code %d, want %d", status.ErrStatus.Code, test.code)
				}
			}
			for verb, err := range allVerbs(t, cluster, away.Namespace) {
				if err != nil {
					t.Errorf("%s in a namespace that is not the test's: %v", verb, err)
				}
			}
			remove()
			for verb, err := range allVerbs(t, cluster, cluster.Namespace) {
				if err != nil {
					t.Errorf("%s after it was removed: %v", verb, err)
				}
			}
		})
	}
}

// allVerbs tries what admission looks at in dry runs.
func allVerbs(t *testing.T, cluster *operatortest.Cluster, namespace string) map[string]error {
	t.Helper()
	ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}}
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(ledger), ledger); err != nil {
		t.Fatal(err)
	}
	changed := ledger.DeepCopyObject().(*Ledger)
	changed.Spec.Text, changed.Status.Phase = "changed", "changed"
	created := &Ledger{ObjectMeta: metav1.ObjectMeta{GenerateName: "new-", Namespace: namespace}}
	ctx := t.Context()
	return map[string]error{
		"create": cluster.Client.Create(ctx, created, client.DryRunAll),
		"update": cluster.Client.Update(ctx, changed.DeepCopyObject().(*Ledger), client.DryRunAll),
		"status": cluster.Client.Status().Update(ctx, changed.DeepCopyObject().(*Ledger), &client.SubResourceUpdateOptions{UpdateOptions: client.UpdateOptions{DryRun: []string{metav1.DryRunAll}}}),
		"delete": cluster.Client.Delete(ctx, ledger, client.DryRunAll),
	}
}

// Several fixtures are there at once, with the harness's own probes of each.
func TestAdmissionFixturesDoNotMeet(t *testing.T) {
	cluster := noController(t)
	first := cluster.Deny(&corev1.ConfigMap{}, "", metav1.Status{})
	second := cluster.DenyByPolicy(&corev1.ConfigMap{}, "", metav1.Status{})
	third := cluster.Mutate(&corev1.ConfigMap{}, `{"data":{"text":"changed"}}`)
	second()
	first()
	object := textMap("web", "one")
	cluster.Create(object)
	if object.Data["text"] != "changed" {
		t.Errorf("the text is %q", object.Data["text"])
	}
	third()
	third() // which does nothing
}

func TestAdmissionIsRemovedWhenTheTestEnds(t *testing.T) {
	var namespace string
	var ended *operatortest.Cluster
	t.Run("a test", func(t *testing.T) {
		ended = operatortest.Start(t, ledgerConfig(copyOut))
		namespace = ended.Namespace
		ended.Deny(&corev1.ConfigMap{}, "delete", metav1.Status{}) // the test's own objects are deleted all the same
		ended.Create(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
		ended.Matches(textMap("web", ""))
	})
	if ended == nil {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	for _, list := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"} {
		found := new(metav1.PartialObjectMetadataList)
		found.APIVersion, found.Kind = "admissionregistration.k8s.io/v1", list+"List"
		if err := ended.Client.List(t.Context(), found); err != nil {
			t.Fatal(err)
		}
		for _, item := range found.Items {
			if strings.HasPrefix(item.Name, namespace) {
				t.Errorf("%s %s is still there", list, item.Name)
			}
		}
	}
}

// admissionEverywhere asks for admission that would be that of every test.
func admissionEverywhere(t *testing.T) {
	operatortest.Start(t, ledgerConfig(copyOut)).Mutate(&corev1.Node{}, `{"spec":{"unschedulable":true}}`)
}

func TestAdmissionIsForNamespacedKindsOnly(t *testing.T) {
	expectFailure(t, "admission everywhere", "admission of kind Node would be that of every test")
}

// What admission changes in a child is seen by the operator, which converges.
func TestAnOperatorMeetsAdmission(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	cluster.Converged(ledger)
	cluster.Mutate(textMap("web", ""), `{"data":{"note":"added"}}`)
	thaw := cluster.Deny(&Ledger{}, "status", metav1.Status{})
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Matches(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"text": "two", "note": "added"}})
	thaw()
	cluster.Matches(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Status: LedgerStatus{Phase: "Copied"}})
	cluster.Converged(ledger)
}
