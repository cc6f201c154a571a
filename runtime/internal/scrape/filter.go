// Package scrape authorizes requests for an operator's metrics by the API server.
//
//	bearer token → TokenReview → user → SubjectAccessReview → 200, 401 or 403
//
// controller-runtime has a filter that does the same with the API server's own packages. Linking
// them costs every operator 17 MiB of memory, which is more than most have in their caches; see
// docs/decisions/0018-metrics-access.md.
package scrape

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	reviewTimeout = 10 * time.Second // for the answer of the API server
	allowedFor    = time.Minute      // how long an answer is cached
	deniedFor     = 10 * time.Second
)

// Filter returns a filter that authenticates a client by its bearer token, and authorizes it for
// the path. A role with nonResourceURLs allows it. Answers are cached for a minute, refusals for
// ten seconds.
func Filter(config *rest.Config, httpClient *http.Client) (server.Filter, error) {
	who, err := authenticationclient.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, err
	}
	may, err := authorizationclient.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, err
	}
	g := &authorizer{tokenReviews: who.TokenReviews(), accessReviews: may.SubjectAccessReviews(), answers: newAnswerCache(time.Now)}
	return func(log logr.Logger, handler http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			status, err := g.authorize(request)
			if err != nil {
				log.Error(err, "cannot tell who may read metrics")
			}
			if status != http.StatusOK {
				http.Error(w, http.StatusText(status), status)
				return
			}
			handler.ServeHTTP(w, request)
		}), nil
	}, nil
}

// authorizer reviews the tokens and access of requests.
type authorizer struct {
	tokenReviews  authenticationclient.TokenReviewInterface
	accessReviews authorizationclient.SubjectAccessReviewInterface
	answers       *answerCache
}

// authorize returns the HTTP status for a request: 200, 401 or 403.
func (g *authorizer) authorize(request *http.Request) (int, error) {
	scheme, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return http.StatusUnauthorized, nil
	}
	verb := strings.ToLower(request.Method)
	question := newAccessRequest(token, verb, request.URL.Path)
	if status, ok := g.answers.get(question); ok {
		return status, nil
	}
	ctx, cancel := context.WithTimeout(request.Context(), reviewTimeout)
	defer cancel()
	status, err := g.reviewAccess(ctx, token, verb, request.URL.Path)
	if err != nil {
		return http.StatusInternalServerError, err
	}
	g.answers.put(question, status)
	return status, nil
}

// reviewAccess asks the API server for the user of a token, and for the user's access to a path.
func (g *authorizer) reviewAccess(ctx context.Context, token, verb, path string) (int, error) {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	review, err := g.tokenReviews.Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return 0, err
	}
	if !review.Status.Authenticated {
		return http.StatusUnauthorized, nil
	}
	user := review.Status.User
	extra := map[string]authorizationv1.ExtraValue{}
	for key, value := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(value)
	}
	access, err := g.accessReviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: verb},
	}}, metav1.CreateOptions{})
	if err != nil {
		return 0, err
	}
	if access.Status.Denied || !access.Status.Allowed {
		if access.Status.EvaluationError != "" {
			return http.StatusForbidden, errors.New(access.Status.EvaluationError)
		}
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}
