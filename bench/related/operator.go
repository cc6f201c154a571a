package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
)

type (
	secrets struct {
		Secrets operator.Snapshot[*corev1.Secret]
	}
	request  = operator.Request[*corev1.ConfigMap, struct{}, secrets]
	response = operator.Response[struct{}, struct{}]
)

// entries are the ways to read Secrets.
var entries = map[string]operator.RelatedKind{
	"name":     {Object: &corev1.Secret{}, Name: secretName(0)},
	"nameFrom": {Object: &corev1.Secret{}, NameFrom: ".data.secret"},
	"get":      {Object: &corev1.Secret{}, NameFrom: ".data.secret", Access: operator.AccessGet},
	"all":      {Object: &corev1.Secret{}},
}

// operate runs an operator whose Sync reads Secrets, and answers each line of the standard input with its counts.
func operate(ctx context.Context, entry, namespace string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	counter := &counter{open: map[*countedBody]bool{}, synced: map[string]bool{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return countedTransport{next, counter} })
	go counter.answer()
	options := operator.Defaults()
	options.Namespaces, options.Logger = []string{namespace}, slog.New(slog.DiscardHandler)
	return operator.Run(ctx, config, options, func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{operator.NewController(operator.Definition[*corev1.ConfigMap, struct{}, struct{}, struct{}, secrets]{
			Name: "related", Group: "related.bench.opgen.dev", Parents: []operator.ParentKind{{Object: &corev1.ConfigMap{}, Labels: label}},
			Related: func(related *secrets) []operator.RelatedKind {
				kind, ok := entries[entry]
				if !ok {
					return nil
				}
				kind.Fields = operator.BindRelated(&related.Secrets)
				return []operator.RelatedKind{kind}
			},
			Sync: func(_ context.Context, r *request) (*response, error) {
				counter.noteSync(r.Parent.Name)
				return &response{}, nil
			},
		})}, nil
	})
}

// counter counts what the operator does.
type counter struct {
	mu              sync.Mutex
	requests, reads int
	open            map[*countedBody]bool
	synced          map[string]bool
}

func (c *counter) noteSync(parent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.synced[parent] = true
}

// answer answers each line of the standard input with the counts.
func (c *counter) answer() {
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		c.mu.Lock()
		now := counts{Requests: c.requests, Reads: c.reads, Watches: len(c.open), Synced: len(c.synced)}
		c.mu.Unlock()
		_ = out.Encode(now)
	}
}

type countedTransport struct {
	next    http.RoundTripper
	counter *counter
}

// RoundTrip sends a request and counts it.
func (t countedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	t.counter.mu.Lock()
	defer t.counter.mu.Unlock()
	t.counter.requests++
	if strings.Contains(request.URL.Path, "/secrets/") {
		t.counter.reads++
	}
	if err == nil && request.URL.Query().Has("watch") {
		body := &countedBody{response.Body, t.counter}
		t.counter.open[body] = true
		response.Body = body
	}
	return response, err
}

// countedBody is the stream of a watch.
type countedBody struct {
	io.ReadCloser
	counter *counter
}

// Close ends the watch.
func (b *countedBody) Close() error {
	b.counter.mu.Lock()
	delete(b.counter.open, b)
	b.counter.mu.Unlock()
	return b.ReadCloser.Close()
}
