package operatortest

import (
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
	return c.admission.Mutate(like, patch)
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
	return c.admission.Deny(like, verb, status)
}

// DenyByPolicy is [Cluster.Deny] by a ValidatingAdmissionPolicy, which works wherever the API
// server runs and takes about a second to take effect. It uses the status's message and reason. The
// reason is Invalid by default (422 without a field), and may be Forbidden, Unauthorized or
// RequestEntityTooLarge.
func (c *Cluster) DenyByPolicy(like client.Object, verb string, status metav1.Status) (remove func()) {
	c.t.Helper()
	return c.admission.DenyByPolicy(like, verb, status)
}
