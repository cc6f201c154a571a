package operator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// replies answer requests in the place of the API server: nil lets it answer.
type replies struct {
	next  http.RoundTripper
	reply atomic.Pointer[func(path, body string, request *http.Request) (*http.Response, error)]
}

func (r *replies) RoundTrip(request *http.Request) (*http.Response, error) {
	reply := r.reply.Load()
	if reply == nil || request.Method == http.MethodGet {
		return r.next.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	if response, err := (*reply)(request.URL.Path, string(body), request); response != nil || err != nil {
		return response, err
	}
	return r.next.RoundTrip(request)
}

func (r *replies) set(reply func(path, body string, request *http.Request) (*http.Response, error)) {
	r.reply.Store(&reply)
}

// startWithReplies is start for an operator whose requests a test may answer.
func startWithReplies(t *testing.T, a *author) (*fixture, *replies) {
	t.Helper()
	t.Parallel()
	r := new(replies)
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Transport: func(next http.RoundTripper) http.RoundTripper {
			r.next = next
			return r
		},
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	f.Create(f.site)
	return f, r
}

// answer is one of the API server's own, in its place.
func answer(request *http.Request, code int, reason string) *http.Response {
	body := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":"by the test","code":%d}`, reason, code)
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

func TestRefusedStatusStillGetsItsConditions(t *testing.T) {
	t.Parallel()
	for code, reason := range map[int]metav1.StatusReason{
		http.StatusRequestEntityTooLarge: metav1.StatusReasonRequestEntityTooLarge,
		http.StatusInternalServerError:   metav1.StatusReasonInternalError,
		http.StatusForbidden:             metav1.StatusReasonForbidden,
		http.StatusBadRequest:            metav1.StatusReasonBadRequest,
	} {
		t.Run(string(reason), func(t *testing.T) {
			f, r := startWithReplies(t, &author{sync: desire(desireOne)})
			f.status("Ready", "Ready")
			f.Settled()
			r.set(func(path, body string, request *http.Request) (*http.Response, error) {
				if strings.HasSuffix(path, "/status") && strings.Contains(body, "too large") {
					return answer(request, code, string(reason)), nil
				}
				return nil, nil
			})
			tooLarge := func(context.Context, *Request) (*Response, error) {
				return &Response{Status: &testapi.Status{Phase: "too large"}}, nil
			}
			f.setSync(tooLarge)
			before := len(f.Sent())
			f.Update(f.site, func() { f.site.Spec.Text = "changed" })
			status := f.status("Ready", "SyncFailed")
			ready := meta.FindStatusCondition(status.Conditions, "Ready")
			if ready.Status != metav1.ConditionFalse || !strings.HasPrefix(ready.Message, "write the status: ") || status.Phase != "Synced" || status.ObservedGeneration != 2 {
				t.Errorf("status is %+v", status)
			}
			f.StopClock()
			f.Advance(2 * time.Second)
			writes := 0
			for _, request := range f.Sent()[before:] {
				if request.Resource == "sites/status" {
					writes++
				}
			}
			if writes > 8 {
				t.Errorf("%d writes of the status in 2 s, want at most 8", writes)
			}
			f.setSync(desire(desireOne))
			f.reconcile()
			f.status("Ready", "Ready")
		})
	}
}

// A parent gets its finalizer with the first child that needs one.
func TestTransientErrorOfTheFinalizerDoesNotFlipReady(t *testing.T) {
	f, r := startWithReplies(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	before := f.Settled()
	var left atomic.Int64
	left.Store(2)
	r.set(func(path, _ string, request *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(path, "/sites/web") || left.Add(-1) < 0 {
			return nil, nil
		}
		return answer(request, http.StatusServiceUnavailable, string(metav1.StatusReasonServiceUnavailable)), nil
	})
	f.setSync(desire(func(want *Desired) {
		desireOne(want)
		want.Secrets.Add(named(&corev1.Secret{}, "kept"), orphaned...)
	}))
	f.reconcile()
	f.Exists(named(&corev1.Secret{}, "kept"))
	f.Settled()
	f.expectRequests(before, "patch sites web: 200", "create secrets kept: 201") // and none of the status
	if left.Load() != -1 {
		t.Errorf("%d writes of the finalizer, want 3", 2-left.Load())
	}
	if f.Get(f.site); len(f.site.Finalizers) != 1 {
		t.Errorf("finalizers are %v", f.site.Finalizers)
	}
	f.status("Ready", "Ready")
}

func TestTransientErrorDoesNotFlipReady(t *testing.T) {
	t.Parallel()
	errTimeout := errors.New("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
	for name, fault := range map[string]func(request *http.Request) (*http.Response, error){
		"500": func(request *http.Request) (*http.Response, error) {
			return answer(request, http.StatusInternalServerError, string(metav1.StatusReasonInternalError)), nil
		},
		"503": func(request *http.Request) (*http.Response, error) {
			return answer(request, http.StatusServiceUnavailable, string(metav1.StatusReasonServiceUnavailable)), nil
		},
		"429": func(request *http.Request) (*http.Response, error) {
			return answer(request, http.StatusTooManyRequests, string(metav1.StatusReasonTooManyRequests)), nil
		},
		"timeout": func(*http.Request) (*http.Response, error) { return nil, errTimeout },
	} {
		for _, path := range []string{"/configmaps/web", "/sites/web/status"} {
			t.Run(name+" of "+path, func(t *testing.T) {
				f, r := startWithReplies(t, &author{sync: desire(desireOne)})
				f.status("Ready", "Ready")
				f.Settled()
				var left atomic.Int64
				fail := func(times int64) {
					left.Store(times)
					r.set(func(requested, _ string, request *http.Request) (*http.Response, error) {
						if !strings.HasSuffix(requested, path) || left.Add(-1) < 0 {
							return nil, nil
						}
						return fault(request)
					})
				}
				change := func(value string) {
					f.setSync(func(context.Context, *Request) (*Response, error) {
						want := new(Desired)
						want.ConfigMaps.Add(configMap("web", value))
						return &Response{Children: want, Status: &testapi.Status{Phase: value}}, nil
					})
					f.Update(f.site, func() { f.site.Spec.Text = value })
				}
				before := len(f.Sent())
				fail(2)
				change("two")
				f.Eventually("the status follows", func() error {
					if f.Get(f.site); f.site.Status.Phase != "two" {
						return fmt.Errorf("status is %+v", f.site.Status)
					}
					return nil
				})
				f.Settled()
				written := 0
				for _, request := range f.Sent()[before:] {
					if request.Resource == "sites/status" && request.Code == http.StatusOK {
						written++
					}
				}
				if events := f.events(); written != 1 || len(events) > 0 {
					t.Errorf("%d writes of the status, want 1; events are %q", written, events)
				}
				if path != "/configmaps/web" {
					return
				}
				fail(1000)
				change("three")
				f.status("Ready", "ApplyFailed")
				if attempts := 1000 - left.Load(); attempts < 3 {
					t.Errorf("Ready has changed at attempt %d, want the third", attempts)
				}
				left.Store(0)
				f.status("Ready", "Ready")
			})
		}
	}
}
