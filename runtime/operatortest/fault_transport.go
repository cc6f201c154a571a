package operatortest

import (
	"net/http"
	"os"
	"time"
)

// hangTime is how long a request hangs before it times out.
const hangTime = time.Second

// faultTransport sends the requests of one process of the operator, with the faults of the plan.
// Config.Transport wraps it, so that it sees what the operator sees. It wraps the counting
// transport, which counts only requests that reach the API server.
type faultTransport struct {
	next       http.RoundTripper
	connection *connection
}

// RoundTrip sends one request.
func (t *faultTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.connection.isDead() {
		return failRequest(request, errDead)
	}
	plan, made := t.connection.plan, readRequest(request)
	for _, hook := range plan.dueHooks(made, request.URL.Path) {
		hook.do()
	}
	struck := plan.takeFaults(made, request.URL.Path)
	if err := t.applyFaults(request, struck, Before); err != nil {
		return failRequest(request, err)
	}
	if t.connection.isDead() { // since a hook or another request
		return failRequest(request, errDead)
	}
	if what, ok := refusedAt(struck, Instead); ok {
		closeBody(request)
		return newRefusal(request, made, what), nil
	}
	response, err := t.connection.sendRequest(t.next, request, made)
	if err != nil {
		return nil, err
	}
	err = t.applyFaults(request, struck, After)
	if t.connection.isDead() { // since this request or another one
		err = errDead
	}
	if err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	if what, ok := refusedAt(struck, After); ok {
		_ = response.Body.Close()
		return newRefusal(request, made, what), nil
	}
	return response, nil
}

// WrappedRoundTripper returns the wrapped transport to client-go.
func (t *faultTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// applyFaults executes the faults of a moment other than refusals, those that end the request last.
// It returns the error that ends the request.
func (t *faultTransport) applyFaults(request *http.Request, struck []Fault, when When) (err error) {
	for _, fault := range struck {
		switch {
		case fault.When != when:
		case fault.What == CutWatches:
			t.connection.cutWatches()
		case fault.What == DelayWatches:
			t.connection.delayWatches(lag)
		}
	}
	for _, fault := range struck {
		switch {
		case fault.When != when:
		case fault.What == TimeOut:
			err = t.wait(request)
		case fault.What == Lose:
			err = errLost
		case fault.What.endsProcess():
			t.connection.crash(fault.What)
			return errDead
		}
	}
	return err
}

// wait blocks while a request hangs, and returns its error.
func (t *faultTransport) wait(request *http.Request) error {
	select {
	case <-time.After(hangTime):
		return os.ErrDeadlineExceeded
	case <-request.Context().Done():
		return request.Context().Err()
	case <-t.connection.dead:
		return errDead
	}
}

// refusedAt returns the first refusal among the faults of a moment.
func refusedAt(struck []Fault, when When) (What, bool) {
	for _, fault := range struck {
		if fault.When == when && fault.What.isRefusal() {
			return fault.What, true
		}
	}
	return "", false
}

// failRequest ends a request that is not sent.
func failRequest(request *http.Request, err error) (*http.Response, error) {
	closeBody(request)
	return nil, err
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}
