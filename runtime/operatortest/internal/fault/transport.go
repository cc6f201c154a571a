package fault

import (
	"net/http"
	"os"
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// hangTime is how long a request hangs before it times out.
const hangTime = time.Second

// Transport sends the requests of one process of the operator, with the faults of the plan.
// Config.Transport wraps it, so that it sees what the operator sees. It wraps the counting
// transport, which counts only requests that reach the API server.
type Transport struct {
	Next       http.RoundTripper
	Connection *Connection
}

// RoundTrip sends one request.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.Connection.IsDead() {
		return failRequest(request, errDead)
	}
	plan, made := t.Connection.plan, requests.Read(request)
	for _, hook := range plan.dueHooks(made, request.URL.Path) {
		hook.do()
	}
	struck := plan.takeFaults(made, request.URL.Path)
	if err := t.applyFaults(request, struck, Before); err != nil {
		return failRequest(request, err)
	}
	if t.Connection.IsDead() { // since a hook or another request
		return failRequest(request, errDead)
	}
	if what, ok := refusedAt(struck, Instead); ok {
		closeBody(request)
		return newRefusal(request, made, what), nil
	}
	response, err := t.Connection.sendRequest(t.Next, request, made)
	if err != nil {
		return nil, err
	}
	err = t.applyFaults(request, struck, After)
	if t.Connection.IsDead() { // since this request or another one
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
func (t *Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// applyFaults executes the faults of a moment other than refusals, those that end the request last.
// It returns the error that ends the request.
func (t *Transport) applyFaults(request *http.Request, struck []Fault, when When) (err error) {
	for _, fault := range struck {
		switch {
		case fault.When != when:
		case fault.What == CutWatches:
			t.Connection.cutWatches()
		case fault.What == DelayWatches:
			t.Connection.delayWatches(lag)
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
			t.Connection.Crash(fault.What)
			return errDead
		}
	}
	return err
}

// wait blocks while a request hangs, and returns its error.
func (t *Transport) wait(request *http.Request) error {
	select {
	case <-time.After(hangTime):
		return os.ErrDeadlineExceeded
	case <-request.Context().Done():
		return request.Context().Err()
	case <-t.Connection.dead:
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
