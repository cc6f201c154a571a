package operatortest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// unsaved answers the writes of some resource as if they were done, and does not do them.
type unsaved struct {
	next  http.RoundTripper
	paths string // which the requests' paths end with, or have before a name
	lies  *atomic.Bool
}

func (u unsaved) RoundTrip(request *http.Request) (*http.Response, error) {
	reads := request.Method == http.MethodGet
	if reads || !u.lies.Load() || !strings.Contains(request.URL.Path+"/", "/"+u.paths+"/") {
		return u.next.RoundTrip(request)
	}
	request = request.Clone(request.Context())
	if request.Method == http.MethodDelete {
		request.Method, request.Body, request.ContentLength = http.MethodGet, nil, 0
		return u.next.RoundTrip(request)
	}
	query := request.URL.Query()
	query.Set("dryRun", "All")
	request.URL.RawQuery = query.Encode()
	return u.next.RoundTrip(request)
}

// noDryRuns refuses dry runs of creates.
type noDryRuns struct{ next http.RoundTripper }

func (n noDryRuns) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost && request.URL.Query().Get("dryRun") != "" {
		body := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no dry runs","reason":"BadRequest","code":400}`
		return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
	}
	return n.next.RoundTrip(request)
}

// imageOf desires a Deployment whose image has the parent's text as its tag.
func imageOf(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	want, child := new(ledgerChildren), deployment("web")
	child.Spec.Template.Spec.Containers[0].Image = "example.com/main:" + req.Parent.Spec.Text
	want.Deployments.Add(child)
	return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
}

// A default that follows from what is desired follows its changes.
func TestTruthfulComparesDefaultsWithThoseOfANewChild(t *testing.T) {
	cluster, ledger := run(t, imageOf)
	cluster.Converged()
	for _, tag := range []string{"latest", "two"} {
		cluster.Update(ledger, func() { ledger.Spec.Text = tag })
		cluster.Converged()
		child := deployment("web")
		want := map[string]corev1.PullPolicy{"latest": corev1.PullAlways, "two": corev1.PullIfNotPresent}[tag]
		if cluster.Get(child); child.Spec.Template.Spec.Containers[0].ImagePullPolicy != want {
			t.Errorf("the policy is %s, want %s", child.Spec.Template.Spec.Containers[0].ImagePullPolicy, want)
		}
	}
}

// forgetWrites has an operator whose writes of a resource come to nothing, from when
// lies is set.
func forgetWrites(paths string, lies *atomic.Bool) func(*operatortest.Config, *ledgerDefinition) {
	return configure(func(config *operatortest.Config) {
		config.Transport = func(next http.RoundTripper) http.RoundTripper { return unsaved{next, paths, lies} }
	})
}

// untruthful are tests of operators that do not tell the truth, and what the report says.
func untruthful() map[string]struct {
	test func(*testing.T)
	says []string
} {
	type untruth = struct {
		test func(*testing.T)
		says []string
	}
	return map[string]untruth{
		"a value": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, copyOut, forgetWrites("configmaps", &lies))
				cluster.Converged()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Truthful(ledger)
			},
			[]string{
				"the operator does not tell the truth:", "/web is not as desired:", "data.text:", `desired: "two"`, `live:    "one"`,
				"Ledger web says: Ready=True, Ready: every child is as desired and ready",
			},
		},
		"a field that is not desired any more": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					child := textMap("web", "same")
					child.Data[req.Parent.Spec.Text] = "set"
					return desireConfigMaps(child), nil
				}, forgetWrites("configmaps", &lies))
				cluster.Converged()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Converged()
			},
			[]string{"data.one:", "desired: nothing any more, but it was earlier", "data.two:", "live:    nothing"},
		},
		"a default of an earlier desired state": { // which is not found, since a new child is refused
			func(t *testing.T) {
				cluster, ledger := run(t, imageOf, configure(func(config *operatortest.Config) {
					config.Transport = func(next http.RoundTripper) http.RoundTripper { return noDryRuns{next} }
				}))
				cluster.Exists(deployment("web"))
				cluster.Settled()
				cluster.Update(ledger, func() { ledger.Spec.Text = "latest" })
				cluster.Truthful()
			},
			[]string{"spec.template.spec.containers[main].imagePullPolicy:", `desired: nothing, and a new child has "Always"`, `live:    "IfNotPresent"`},
		},
		"at the end of a test": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, copyOut, forgetWrites("configmaps", &lies))
				cluster.Converged()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Reconciled(ledger)
			},
			[]string{"at its end, the operator does not tell the truth:", "data.text:"},
		},
		"a child that is not desired": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					return desireConfigMaps(textMap(req.Parent.Spec.Text, "")), nil
				}, forgetWrites("configmaps", &lies))
				cluster.Converged()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Truthful()
			},
			[]string{"/one is not desired, and still there"},
		},
		"an excuse without the child": { // the condition says nothing of the ConfigMap
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					response := desireConfigMaps(textMap("web", req.Parent.Spec.Text))
					response.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Busy", Message: "is at work on ConfigMap website"}}
					return response, nil
				}, forgetWrites("configmaps", &lies))
				cluster.Converged()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Truthful()
			},
			[]string{"data.text:", "Ledger web says: Ready=False, Busy: is at work on ConfigMap website"},
		},
		"generation": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, copyOut, forgetWrites("status", &lies))
				cluster.Converged()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Truthful()
			},
			[]string{"Ledger web has generation 2, and its status says observedGeneration 1", "Ledger web has generation 2, and its condition Ready says observedGeneration 1"},
		},
		"a leaked child": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					want := new(ledgerChildren)
					want.ConfigMaps.Add(textMap("web", "one"), operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Orphan))
					want.ConfigMaps.Add(textMap("other", "one"))
					return &ledgerResponse{Children: want}, nil
				}, forgetWrites("configmaps", &lies), define(func(definition *ledgerDefinition) { definition.Teardown = operator.TeardownOrdered }))
				cluster.Converged()
				cluster.Stop()
				cluster.Update(ledger, func() { ledger.Finalizers = nil })
				cluster.Delete(ledger)
				cluster.Gone(ledger)
				lies.Store(true)
				cluster.Restart()
				cluster.Truthful()
			},
			[]string{"/other is a child of a parent that is gone"},
		},
		"an impure answer": {
			func(t *testing.T) {
				var calls counter
				cluster, _ := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					response := desireConfigMaps(textMap("web", "one"))
					if calls.next() > 3 {
						response.RequeueAfter = time.Hour + time.Duration(calls.next())*time.Minute
					}
					return response, nil
				})
				for range 4 {
					cluster.Truthful()
				}
			},
			[]string{"Sync of Ledger web is not pure: called twice with one request, its answers differ in RequeueAfter"},
		},
		"a changed request": {
			func(t *testing.T) {
				cluster, _ := run(t, func(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					response, err := copyOut(ctx, req)
					req.Parent.Spec.Text = "changed"
					return response, err
				})
				cluster.Truthful()
			},
			[]string{"Sync of Ledger web is not pure: called twice with one request, it changes the parent that it was given", "spec.text"},
		},
		"too many writes": {
			func(t *testing.T) {
				var calls counter
				cluster, _ := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					return desireConfigMaps(textMap("web", fmt.Sprint(calls.next()))), nil
				})
				cluster.WritesAtMost(1, time.Minute)
			},
			[]string{"configmaps ", "/web was written ", "and may be at most 1 times in 1m0s:", "patch configmaps web: 200"},
		},
		"a secret": {
			func(t *testing.T) {
				var lies atomic.Bool
				cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
					want := new(ledgerChildren)
					want.Deployments.Add(deployment("web", corev1.EnvVar{Name: "TOKEN", Value: "canary-" + req.Parent.Spec.Text}))
					return &ledgerResponse{Children: want}, nil
				}, forgetWrites("deployments", &lies))
				cluster.Exists(deployment("web"))
				cluster.Settled()
				lies.Store(true)
				cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
				cluster.Truthful()
			},
			[]string{"spec.template.spec.containers[main].env[TOKEN].value:", `desired: "(hidden)"`, `live:    "(hidden)"`},
		},
	}
}

func TestUntruthsAreFound(t *testing.T) {
	for name, untruth := range untruthful() {
		if untruth.says == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			output := expectFailure(t, "untruth/"+name, untruth.says...)
			if strings.Contains(output, "canary-") {
				t.Errorf("the output shows a secret:\n%s", output)
			}
		})
	}
}

func untruth(t *testing.T, name string) { untruthful()[name].test(t) }

func desireConfigMaps(children ...*corev1.ConfigMap) *ledgerResponse {
	want := new(ledgerChildren)
	for _, child := range children {
		want.ConfigMaps.Add(child)
	}
	return &ledgerResponse{Children: want, Status: &LedgerStatus{Phase: "Done"}}
}

func deployment(name string, env ...corev1.EnvVar) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](0),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/main:1", Env: env}}},
			},
		},
	}
}
