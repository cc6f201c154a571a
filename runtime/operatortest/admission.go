package operatortest

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
)

// Mutate installs an admission webhook that changes objects which anyone creates or updates in the
// test's namespaces: its own, and those that it has created by [Cluster.Create]. like names the
// kind; if it has labels or a name, only objects with these are changed. patch is a JSON patch (a
// list) or a JSON merge patch (an object), in which null removes a field.
//
// Mutate returns once the webhook is in effect. remove removes it and returns once it is no longer
// in effect; so does the end of the test. The webhook is served on loopback: the API server has to
// run on the same machine.
func (c *Cluster) Mutate(like client.Object, patch string) (remove func()) {
	c.t.Helper()
	change, err := parsePatch(patch)
	if err != nil {
		c.t.Fatal(err)
	}
	target := targetOf(c, like, "create", "update")
	url, authority := serveWebhook(c, change.answerFor, target.probe)
	return installAdmission(c, target, target.mutatingWebhook(url, authority))
}

// Deny installs an admission webhook that refuses operations of anyone on objects in the test's
// namespaces. like is as for [Cluster.Mutate]. verb is create, update (also by a patch), delete,
// status (an update of the status), or empty for the first three. The refusal has the code, reason,
// message and details of status; by default it is a 403 Forbidden:
//
//	thaw := cluster.Deny(&corev1.ConfigMap{}, "update", metav1.Status{
//		Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "a change freeze",
//	})
//
// It takes effect and is removed as by [Cluster.Mutate].
func (c *Cluster) Deny(like client.Object, verb string, status metav1.Status) (remove func()) {
	c.t.Helper()
	if status.Code == 0 && status.Reason == "" {
		status.Code, status.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
	}
	status.Status = metav1.StatusFailure
	status.Message = cmp.Or(status.Message, "the test denies it")
	target := targetOf(c, like, verb)
	url, authority := serveWebhook(c, func([]byte) (admissionAnswer, error) { return admissionAnswer{denied: &status}, nil }, target.probe)
	return installAdmission(c, target, target.validatingWebhook(url, authority))
}

// DenyByPolicy is [Cluster.Deny] by a ValidatingAdmissionPolicy, which works wherever the API
// server runs and takes about a second to take effect. It uses the status's message and reason. The
// reason is Invalid by default (422 without a field), and may be Forbidden, Unauthorized or
// RequestEntityTooLarge.
func (c *Cluster) DenyByPolicy(like client.Object, verb string, status metav1.Status) (remove func()) {
	c.t.Helper()
	target := targetOf(c, like, verb)
	return installAdmission(c, target, target.policy(cmp.Or(status.Reason, metav1.StatusReasonInvalid), cmp.Or(status.Message, "the test denies it"))...)
}

// installAdmission creates the objects of an admission fixture, and waits until they are in effect.
func installAdmission(c *Cluster, target target, objects ...client.Object) (remove func()) {
	c.t.Helper()
	var once sync.Once
	remove = func() {
		once.Do(func() {
			deleteObjects(c, objects...)
			if err := awaitProbe(c, target, false); err != nil {
				c.t.Errorf("remove admission: %v", err)
			}
		})
	}
	c.t.Cleanup(remove)
	for _, object := range objects {
		if err := c.Client.Create(c.t.Context(), object); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := awaitProbe(c, target, true); err != nil {
		c.t.Fatalf("set up admission: %v: a webhook is on loopback, so the API server has to run on this machine", err)
	}
	return remove
}

// awaitProbe waits until admission refuses a probe, or accepts it again.
func awaitProbe(c *Cluster, target target, refused bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: target.probe, Namespace: c.Namespace, Labels: target.labels}}
		err := c.Client.Create(ctx, probe, client.DryRunAll)
		if isRefused := err != nil && strings.Contains(err.Error(), inEffect); isRefused == refused {
			return nil
		}
		select {
		case <-time.After(interval):
		case <-ctx.Done():
			return fmt.Errorf("it takes no effect: %w", cmp.Or(err, errors.New("a probe is admitted")))
		}
	}
}

// inEffect is the message of the refusal of a probe.
const inEffect = "the admission that the test has set up is in effect"
