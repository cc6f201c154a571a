package fault

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// lag is the delay of watches of parents. Other watches are delayed twice as long, so that the
// operator sees parents and children in either order.
const lag = 300 * time.Millisecond

// startLimit is how long the events of watches wait, at most, for the start of a process whose caches begin in the past.
const startLimit = 10 * time.Second

// Connection is the connection of one process of the operator to the API server.
type Connection struct {
	plan      *Plan
	Crash     func(What)                 // ends the process and starts another one
	IsParents func(resource string) bool // reports whether parents are of this resource
	Started   func() bool                // reports whether the process reconciles
	past      string                     // the resource version that its caches begin with; empty: the newest
	dead      chan struct{}              // closed when the process has crashed

	mu      sync.Mutex
	delayed time.Time // when watches of parents go on
	watched time.Time // when the first watch began
	started bool      // the process was seen to reconcile, or it took startLimit
	watches map[*watchBody]bool
}

// NewConnection returns the connection of a process whose caches begin with the resource version
// past, or with the newest if it is empty.
func NewConnection(plan *Plan, past string) *Connection {
	return &Connection{plan: plan, past: past, dead: make(chan struct{}), watches: map[*watchBody]bool{}}
}

// IsDead reports whether the process has crashed.
func (c *Connection) IsDead() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// MarkDead makes all requests fail from now on, and ends those that hang.
func (c *Connection) MarkDead() {
	c.mu.Lock()
	if !c.IsDead() {
		close(c.dead)
	}
	c.mu.Unlock()
	c.cutWatches()
}

// delayWatches delays the events of watches from now on.
func (c *Connection) delayWatches(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delayed = time.Now().Add(by)
}

// cutWatches ends all watches.
func (c *Connection) cutWatches() {
	c.mu.Lock()
	watches := c.watches
	c.watches = map[*watchBody]bool{}
	c.mu.Unlock()
	for watch := range watches {
		_ = watch.Close()
	}
}

// sendRequest sends a request. If caches begin in the past, it changes their lists to the past, and
// refuses a watch that would begin with its own list.
func (c *Connection) sendRequest(next http.RoundTripper, request *http.Request, made requests.Request) (*http.Response, error) {
	query := request.URL.Query()
	switch {
	case made.Verb == "watch" && c.past != "" && query.Has("sendInitialEvents"):
		return newRefusal(request, made, RefuseInvalid), nil
	case made.Verb == "list" && c.past != "" && query.Get("resourceVersion") == "0":
		query.Set("resourceVersion", c.past)
		query.Set("resourceVersionMatch", "Exact")
		request = request.Clone(request.Context())
		request.URL.RawQuery = query.Encode()
	}
	response, err := next.RoundTrip(request)
	if err != nil || made.Verb != "watch" || response.StatusCode != http.StatusOK {
		return response, err
	}
	response.Body = c.addWatch(response.Body, made.Resource)
	return response, nil
}

// addWatch records a watch.
func (c *Connection) addWatch(body io.ReadCloser, resource string) *watchBody {
	watch := &watchBody{ReadCloser: body, connection: c, closed: make(chan struct{})}
	if !c.IsParents(resource) {
		watch.more = lag
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched.IsZero() {
		c.watched = time.Now()
	}
	c.watches[watch] = true
	return watch
}

// delayedUntil returns the time until which watches of parents are delayed. Where caches begin in the past, that is a moment
// after the process has begun to reconcile, however busy the machine is.
func (c *Connection) delayedUntil() time.Time {
	started := c.past == "" || c.Started()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.past != "" && !c.started {
		c.started = started || time.Since(c.watched) > startLimit
		c.delayed = time.Now().Add(2 * lag)
	}
	return c.delayed
}

// removeWatch removes a watch that has ended.
func (c *Connection) removeWatch(watch *watchBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, watch)
}

// watchBody is the stream of a watch.
type watchBody struct {
	io.ReadCloser
	connection *Connection
	more       time.Duration // by which it goes on later than those of parents
	once       sync.Once
	closed     chan struct{}
}

// Read returns the events of the watch once they are no longer delayed.
func (w *watchBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	for {
		until := w.connection.delayedUntil()
		if left := time.Until(until.Add(w.more)); until.IsZero() || left <= 0 {
			return n, err
		} else if !w.pause(min(left, lag)) {
			return 0, errLost
		}
	}
}

// pause waits, and reports false if the watch ends meanwhile.
func (w *watchBody) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.closed:
		return false
	}
}

// Close ends the watch.
func (w *watchBody) Close() error {
	var err error
	w.once.Do(func() {
		close(w.closed)
		w.connection.removeWatch(w)
		err = w.ReadCloser.Close()
	})
	return err
}
