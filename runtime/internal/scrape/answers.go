package scrape

import (
	"crypto/sha256"
	"maps"
	"net/http"
	"sync"
	"time"
)

// accessRequest is the hash of a token, a verb and a path.
type accessRequest [sha256.Size]byte

func newAccessRequest(token, verb, path string) accessRequest {
	return sha256.Sum256([]byte(verb + "\x00" + path + "\x00" + token))
}

// answerCache keeps the answers of the API server for some time.
type answerCache struct {
	now   func() time.Time
	mu    sync.Mutex
	known map[accessRequest]answer
}

type answer struct {
	status int
	until  time.Time
}

// maxAnswers limits the cached answers, so that a client with ever new tokens does not fill the
// memory.
const maxAnswers = 1000

func newAnswerCache(now func() time.Time) *answerCache {
	return &answerCache{now: now, known: map[accessRequest]answer{}}
}

func (a *answerCache) get(q accessRequest) (status int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.known[q]
	return known.status, ok && a.now().Before(known.until)
}

func (a *answerCache) put(q accessRequest, status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= maxAnswers {
		maps.DeleteFunc(a.known, func(_ accessRequest, known answer) bool { return !a.now().Before(known.until) })
	}
	if len(a.known) >= maxAnswers {
		clear(a.known)
	}
	lasts := deniedFor
	if status == http.StatusOK {
		lasts = allowedFor
	}
	a.known[q] = answer{status, a.now().Add(lasts)}
}
