package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// Fixtures are the admission fixtures of a test.
type Fixtures struct {
	*instance.Operator

	mu    sync.Mutex
	count int // of those that were installed
}

// Mutate installs a webhook that changes objects; see Cluster.Mutate in package operatortest.
func (f *Fixtures) Mutate(like client.Object, patch string) (remove func()) {
	f.T.Helper()
	change, err := parsePatch(patch)
	if err != nil {
		f.T.Fatal(err)
	}
	target := f.targetOf(like, "create", "update")
	url, authority := f.serveWebhook(change.answerFor, target.probe)
	return f.installAdmission(target, target.mutatingWebhook(url, authority))
}

// Deny installs a webhook that refuses operations; see Cluster.Deny in package operatortest.
func (f *Fixtures) Deny(like client.Object, verb string, status metav1.Status) (remove func()) {
	f.T.Helper()
	if status.Code == 0 && status.Reason == "" {
		status.Code, status.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
	}
	status.Status = metav1.StatusFailure
	status.Message = cmp.Or(status.Message, "the test denies it")
	target := f.targetOf(like, verb)
	url, authority := f.serveWebhook(func([]byte) (admissionAnswer, error) { return admissionAnswer{denied: &status}, nil }, target.probe)
	return f.installAdmission(target, target.validatingWebhook(url, authority))
}

// DenyByPolicy installs a policy that refuses operations; see Cluster.DenyByPolicy in package
// operatortest.
func (f *Fixtures) DenyByPolicy(like client.Object, verb string, status metav1.Status) (remove func()) {
	f.T.Helper()
	target := f.targetOf(like, verb)
	return f.installAdmission(target, target.policy(cmp.Or(status.Reason, metav1.StatusReasonInvalid), cmp.Or(status.Message, "the test denies it"))...)
}

// installAdmission creates the objects of an admission fixture, and waits until they are in effect.
func (f *Fixtures) installAdmission(target target, objects ...client.Object) (remove func()) {
	f.T.Helper()
	var once sync.Once
	remove = func() {
		once.Do(func() {
			f.DeleteObjects(objects...)
			if err := f.awaitProbe(target, false); err != nil {
				f.T.Errorf("remove admission: %v", err)
			}
		})
	}
	f.T.Cleanup(remove)
	for _, object := range objects {
		if err := f.Client.Create(f.T.Context(), object); err != nil {
			f.T.Fatal(err)
		}
	}
	if err := f.awaitProbe(target, true); err != nil {
		f.T.Fatalf("set up admission: %v: a webhook is on loopback, so the API server has to run on this machine", err)
	}
	return remove
}

// awaitProbe waits until admission refuses a probe, or accepts it again.
func (f *Fixtures) awaitProbe(target target, refused bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), instance.Patience())
	defer cancel()
	for {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: target.probe, Namespace: f.Namespace, Labels: target.labels}}
		err := f.Client.Create(ctx, probe, client.DryRunAll)
		if isRefused := err != nil && strings.Contains(err.Error(), inEffect); isRefused == refused {
			return nil
		}
		select {
		case <-time.After(instance.Interval):
		case <-ctx.Done():
			return fmt.Errorf("it takes no effect: %w", cmp.Or(err, errors.New("a probe is admitted")))
		}
	}
}

// inEffect is the message of the refusal of a probe.
const inEffect = "the admission that the test has set up is in effect"
