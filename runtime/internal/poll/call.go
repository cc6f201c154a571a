package poll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// One Poll runs up to maxCalls calls at once, beside up to maxAbandoned that were abandoned.
const (
	maxCalls     = 10
	maxAbandoned = 100
)

var (
	errNoReturn  = errors.New("the call ended without a return")
	errAbandoned = errors.New("the call has not returned within the period and still runs: it must return when its context ends")
	errNoSlot    = fmt.Errorf("not asked: %d calls about other keys have not returned, although their contexts have ended", maxAbandoned+maxCalls)
)

// call asks about a key. The call may take as long as the period. If it does not return when its context has ended, it is
// abandoned: others may run, and its key is asked about again once it has returned.
func (p *Poll) call(ctx context.Context, key any, now func() time.Time, count func()) {
	limited, cancel := context.WithTimeout(ctx, p.Every)
	defer cancel()
	answer := Answer{Time: now(), Err: errNoReturn} // as of the start, so that nobody takes it for newer than it is
	abandon := time.AfterFunc(p.Every+backoff.CallGrace, func() {
		count()
		p.abandonCall(key)
	})
	defer func() { p.endCall(key, answer, now(), ctx.Err() == nil, !abandon.Stop()) }()
	answer.Value, answer.Err = p.ask(limited, key)
}

// abandonCall makes room for another call.
func (p *Poll) abandonCall(key any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abandoned++
	if of, ok := p.keys[key]; ok { // it may return in this moment
		p.setError(of, errAbandoned)
	}
	p.wakeRun()
}

// endCall ends a call. Its answer counts unless the call was abandoned, or Run has ended.
func (p *Poll) endCall(key any, answer Answer, now time.Time, isRunning, isAbandoned bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.keys[key]
	of.isCalled = false
	if p.freeSlots() == 0 || !now.Before(of.due) { // another key may wait for this, or the key itself
		p.wakeRun()
	}
	p.calls--
	switch {
	case isAbandoned:
		p.abandoned--
	case !isRunning:
	case answer.Err != nil:
		p.setError(of, answer.Err)
	default:
		p.setAnswer(of, answer)
	}
}

// ask calls the author's function, and turns a panic into an error.
func (p *Poll) ask(ctx context.Context, key any) (value any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return p.Ask(ctx, key)
}
