package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// listings are the lists and watches of all caches of a process.
type listings struct {
	logger *slog.Logger
	scheme *runtime.Scheme

	mu  sync.Mutex
	all []*listing
}

// listing is the list and the watch of one informer.
type listing struct {
	toolscache.SharedIndexInformer
	inner     toolscache.ListerWatcherWithContext
	kind      schema.GroupVersionKind
	newObject func() runtime.Object // as the informer holds it
	of        *listings
	isLenient atomic.Bool // it has met an object that does not decode: see unreadable.go

	mu    sync.Mutex
	err   error     // the last one since a watch was opened
	since time.Time // of the first one
}

// newInformer returns an informer of a cache.
func (l *listings) newInformer(inner toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	kind, _ := apiutil.GVKForObject(example, l.scheme) // the cache has asked the same
	made := &listing{inner: toolscache.ToListerWatcherWithContext(inner), kind: kind, newObject: example.DeepCopyObject, of: l}
	made.SharedIndexInformer = toolscache.NewSharedIndexInformer(&toolscache.ListWatch{ListWithContextFunc: made.list, WatchFuncWithContext: made.watch}, example, resync, indexers)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(slices.DeleteFunc(l.all, func(each *listing) bool { return each.IsStopped() }), made)
	return made.SharedIndexInformer
}

// list lists the kind. It lists again, item by item, if something does not decode.
func (l *listing) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	found, err := l.inner.ListWithContext(l.contextOf(ctx), options)
	isAnswered := err != nil && !errors.As(err, new(apierrors.APIStatus)) && !errors.As(err, new(net.Error)) && ctx.Err() == nil
	if isAnswered && l.isLenient.CompareAndSwap(false, true) {
		found, err = l.inner.ListWithContext(l.contextOf(ctx), options)
	}
	if err != nil {
		l.note(ctx, err)
	}
	return found, err
}

// watch opens a watch of the kind.
func (l *listing) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	opened, err := l.inner.WatchWithContext(l.contextOf(ctx), options)
	l.note(ctx, err)
	if err != nil || l.isLenient.Load() {
		return opened, err
	}
	return watch.Filter(opened, func(event watch.Event) (watch.Event, bool) {
		if event.Type == watch.Error && apierrors.HasStatusCause(apierrors.FromObject(event.Object), "ClientWatchDecoding") {
			l.isLenient.Store(true) // of the watch that follows
		}
		return event, true
	}), nil
}

// note notes how a request went. A watch that is opened follows a list, or is one.
func (l *listing) note(ctx context.Context, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	if l.err == nil {
		l.since = time.Now()
	}
	l.err = err
}

// listingKey is the key of the listing in the context of its requests, if it reads item by item.
type listingKey struct{}

func (l *listing) contextOf(ctx context.Context) context.Context {
	if !l.isLenient.Load() {
		return ctx
	}
	return context.WithValue(ctx, listingKey{}, l)
}

// readAnswer has an answer in JSON read item by item if its listing asks for that. Kubernetes' own kinds come in
// another format, and decode.
func readAnswer(request *http.Request, response *http.Response, err error) (*http.Response, error) {
	l, isLenient := request.Context().Value(listingKey{}).(*listing)
	if isLenient && err == nil && response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		response.Body = &readableBody{Closer: response.Body, documents: json.NewDecoder(response.Body), listing: l}
	}
	return response, err
}

// ofKind returns the listings of a kind.
func (l *listings) ofKind(kind schema.GroupVersionKind) []*listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.all), func(each *listing) bool { return each.kind != kind || each.IsStopped() })
}

// countUnreadable returns how many objects of a kind do not decode.
func (l *listings) countUnreadable(kind schema.GroupVersionKind) int {
	found := map[string]bool{}
	for _, each := range l.ofKind(kind) {
		if !each.isLenient.Load() {
			continue
		}
		for _, stored := range each.GetStore().List() {
			if object, ok := stored.(client.Object); ok && CheckReadable("", object) != nil {
				found[string(object.GetUID())] = true
			}
		}
	}
	return len(found)
}

// failureOf returns why lists or watches of a kind have failed for some time.
func (l *listings) failureOf(kind schema.GroupVersionKind, patience time.Duration) error {
	for _, each := range l.ofKind(kind) {
		each.mu.Lock()
		err, since := each.err, each.since
		each.mu.Unlock()
		if err != nil && time.Since(since) >= patience {
			return err
		}
	}
	return nil
}

// ExplainLag says why the cache of a kind stands still.
func (e *Environment) ExplainLag(kind schema.GroupVersionKind) string {
	if err := e.lists.failureOf(kind, 0); err != nil {
		return explainList(kind, err)
	}
	return "its watch is open, and shows nothing"
}

// explainList says why the objects of a kind are not known, and what helps; err is nil if no answer came yet.
func explainList(kind schema.GroupVersionKind, err error) string {
	switch {
	case err == nil:
		return "it has no answer yet to its list of " + kind.Kind
	case LacksRight(err):
		return fmt.Sprintf("the operator's role does not allow to list and watch %s: %s: %v", kind.Kind, adviseOnList(err), err)
	case apierrors.IsNotFound(err):
		return ErrNotServed{kind}.Error()
	}
	return fmt.Sprintf("its list or watch of %s fails: %v", kind.Kind, err)
}
