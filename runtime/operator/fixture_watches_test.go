package operator_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// watching is a controller without children, of which a test sees the watches of ConfigMaps.
type watching struct {
	*custom
	*readers
	watches *watchLog
}

// startWatching runs an operator with these entries of related objects. Its Sites select what their
// specs name, which the entries say how.
func startWatching(t *testing.T, configure func(*operatortest.Config), entries ...operator.RelatedKind) *watching {
	t.Helper()
	t.Parallel()
	w := &watching{readers: &readers{reconciles: map[string]int{}}, watches: &watchLog{open: map[*watchedBody]string{}}}
	w.custom = addCustomWith(t, func(config *operatortest.Config) {
		config.Transport = w.watches.wrap
		if configure != nil {
			configure(config)
		}
	}, w.Sync, func(d *definition) {
		d.Kinds = nil
		d.Related = func(related *Related) []operator.RelatedKind {
			bound := slices.Clone(entries)
			for i := range bound {
				bound[i].Fields = operator.BindRelated(&related.ConfigMaps)
			}
			return bound
		}
		if slices.ContainsFunc(entries, func(e operator.RelatedKind) bool { return e.Dynamic }) {
			d.Select = selectByText
		}
	}, func(o *operator.Options) { o.Namespaces = nil })
	return w
}

// selectByText selects the names in the text of a Site, or the label that it is.
func selectByText(_ context.Context, site *testapi.Site) ([][]operator.Selection, error) {
	if site.Spec.Text == "" {
		return [][]operator.Selection{nil}, nil
	}
	if key, value, ok := strings.Cut(site.Spec.Text, "="); ok {
		return [][]operator.Selection{{{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}}}, nil
	}
	return [][]operator.Selection{{{Names: strings.Split(site.Spec.Text, ",")}}}, nil
}

// siteOf creates a Site with a text.
func (w *watching) siteOf(name, text string) *testapi.Site {
	w.t.Helper()
	created := site(name)
	created.Labels, created.Spec.Text = map[string]string{w.group: ""}, text
	w.Create(created)
	return created
}

// opens waits until these watches of ConfigMaps are open, and no others.
func (w *watching) opens(expected ...string) {
	w.t.Helper()
	slices.Sort(expected)
	w.Eventually(fmt.Sprintf("the open watches are %q", expected), func() error {
		if open := w.watches.list(); !slices.Equal(open, expected) {
			return fmt.Errorf("they are %q", open)
		}
		return nil
	})
}

// gets returns how many requests have read ConfigMaps.
func (w *watching) gets() (count int) {
	for _, request := range w.Requests() {
		if request.Verb == "get" && request.Resource == "configmaps" {
			count++
		}
	}
	return count
}

// names returns names with commas between them: a prefix, and the numbers below n.
func names(prefix string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(prefix, i)
	}
	return strings.Join(all, ",")
}

// watchLog notes the open watches of ConfigMaps.
type watchLog struct {
	mu    sync.Mutex
	open  map[*watchedBody]string
	begun int // lists and watches
}

func (l *watchLog) wrap(next http.RoundTripper) http.RoundTripper { return watchTransport{next, l} }

func (l *watchLog) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	open := []string{}
	for _, described := range l.open {
		open = append(open, described)
	}
	slices.Sort(open)
	return open
}

// count returns how many lists and watches have begun.
func (l *watchLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

type watchTransport struct {
	next http.RoundTripper
	log  *watchLog
}

func (t watchTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil || !strings.HasSuffix(request.URL.Path, "/configmaps") || request.Method != http.MethodGet {
		return response, err
	}
	query := request.URL.Query()
	described := strings.TrimPrefix(query.Get("fieldSelector"), "metadata.name=") + query.Get("labelSelector")
	if strings.Contains(request.Header.Get("Accept"), "as=PartialObjectMetadata") {
		described += "metadata"
	}
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	t.log.begun++
	if query.Get("watch") != "" && response.StatusCode == http.StatusOK {
		body := &watchedBody{response.Body, t.log}
		t.log.open[body] = described
		response.Body = body
	}
	return response, nil
}

// watchedBody is the stream of a watch.
type watchedBody struct {
	io.ReadCloser
	log *watchLog
}

func (b *watchedBody) Close() error {
	b.log.mu.Lock()
	delete(b.log.open, b)
	b.log.mu.Unlock()
	return b.ReadCloser.Close()
}

// byNames is an entry whose names a Site chooses.
var byNames = operator.RelatedKind{Object: &corev1.ConfigMap{}, Dynamic: true}
