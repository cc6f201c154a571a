package image

import (
	"context"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// How long registries are waited for.
const (
	checkTime    = 30 * time.Second // for the answer to one question
	answerTime   = 2 * time.Minute  // for an answer, once a request was sent as a whole
	transferTime = time.Hour        // for all layers
)

// remoteOptions returns how registries are asked: with the credentials that docker login has stored.
func remoteOptions(ctx context.Context) []remote.Option {
	return []remote.Option{
		remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithUserAgent("opgen"), remote.WithTransport(newTransport()),
	}
}

// newTransport returns a transport that does not wait forever for an answer.
func newTransport() http.RoundTripper {
	transport := remote.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerTime
	return transport
}

// limitedTransport ends all requests with a context, for functions that take none.
type limitedTransport struct {
	ctx  context.Context
	base http.RoundTripper
}

// RoundTrip sends a request.
func (t limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.base.RoundTrip(r.WithContext(t.ctx))
}
