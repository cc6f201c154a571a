package instance

import (
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// Requests returns all requests of the operator since the test began, from the audit log if there is
// one.
func (o *Operator) Requests() []requests.Request {
	o.T.Helper()
	if o.audit == nil {
		return o.Sent.Requests()
	}
	deadline := time.Now().Add(lateLog)
	for {
		if err := o.audit.ReadNew(); err != nil {
			o.T.Fatal(err)
		}
		requests := o.audit.Requests()
		if len(requests) >= o.Sent.Count() || time.Now().After(deadline) {
			return requests
		}
		time.Sleep(Glance)
	}
}

// lateLog is how long the audit log may lack an answered request.
const lateLog = 2 * time.Second
