package scrape

import (
	"crypto/sha256"
	"maps"
	"net/http"
	"sync"
	"time"
)

// question is a token with what it is for, without giving the token away.
type question [sha256.Size]byte

func questionOf(token, verb, path string) question {
	return sha256.Sum256([]byte(verb + "\x00" + path + "\x00" + token))
}

// answers remembers what the API server said, for a while.
type answers struct {
	now   func() time.Time
	mu    sync.Mutex
	known map[question]answer
}

type answer struct {
	status int
	until  time.Time
}

// most is how many answers are remembered: a client with ever new tokens must not
// fill the memory.
const most = 1000

func newAnswers(now func() time.Time) *answers {
	return &answers{now: now, known: map[question]answer{}}
}

func (a *answers) get(q question) (status int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.known[q]
	return known.status, ok && a.now().Before(known.until)
}

func (a *answers) put(q question, status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= most {
		maps.DeleteFunc(a.known, func(_ question, known answer) bool { return !a.now().Before(known.until) })
	}
	if len(a.known) >= most {
		clear(a.known)
	}
	lasts := denied
	if status == http.StatusOK {
		lasts = allowed
	}
	a.known[q] = answer{status, a.now().Add(lasts)}
}
