package operatortest

import "net/http"

// faultTransport carries the requests of one process of the operator. It counts
// them for the fault plan and does what the plan says.
type faultTransport struct {
	next http.RoundTripper
	plan *faultPlan
}

// RoundTrip carries one request.
func (t *faultTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	for _, hook := range t.plan.dueHooks(readRequest(request), request.URL.Path) {
		hook.do()
	}
	return t.next.RoundTrip(request)
}

// WrappedRoundTripper lets client-go find the transport below.
func (t *faultTransport) WrappedRoundTripper() http.RoundTripper { return t.next }
