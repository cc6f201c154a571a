package operatortest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// lateWatches delivers what is watched half a second late.
type lateWatches struct{ next http.RoundTripper }

func (l lateWatches) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil && request.URL.Query().Has("watch") {
		response.Body = lateBody{response.Body}
	}
	return response, err
}

type lateBody struct{ io.ReadCloser }

func (b lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	time.Sleep(500 * time.Millisecond)
	return n, err
}

func TestSettledWaitsForWhatTheCachesAreToShow(t *testing.T) {
	cluster, ledger := run(t, copyOut, configure(func(config *operatortest.Config) {
		config.Transport = func(next http.RoundTripper) http.RoundTripper { return lateWatches{next} }
	}))
	for _, text := range []string{"two", "three"} {
		cluster.Update(ledger, func() { ledger.Spec.Text = text })
		cluster.Settled()
		child := textMap("web", "")
		if !cluster.Get(child) || child.Data["text"] != text {
			t.Fatalf("settled with %q, want %q", child.Data["text"], text)
		}
		cluster.Delete(child)
		cluster.Settled()
		if !cluster.Get(child) {
			t.Fatal("settled without the child that was deleted")
		}
	}
}

func TestSettledWaitsForASlowReconcile(t *testing.T) {
	cluster, ledger := run(t, func(ctx context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		time.Sleep(3 * time.Second)
		return copyOut(ctx, req)
	})
	cluster.Settled()
	if cluster.Get(ledger); ledger.Status.Phase != "Copied" {
		t.Errorf("settled with the status %+v", ledger.Status)
	}
}

func TestSettledWaitsForWhatIsDueSoon(t *testing.T) {
	for _, test := range []struct {
		name  string
		after time.Duration
		waits bool
	}{
		{"soon", time.Second, true},
		{"later", time.Minute, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var began, over atomic.Value
			cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				began.CompareAndSwap(nil, req.Now)
				left := began.Load().(time.Time).Add(test.after).Sub(req.Now)
				if left <= 0 {
					over.Store(true)
					return &ledgerResponse{}, nil
				}
				return &ledgerResponse{RequeueAfter: left}, nil
			})
			cluster.Reconciled(ledger)
			cluster.Settled()
			if waited := over.Load() != nil; waited != test.waits {
				t.Errorf("waited for the reconcile: %v, want %v", waited, test.waits)
			}
		})
	}
}

// lateEvents sends Events half a second late.
type lateEvents struct{ next http.RoundTripper }

func (l lateEvents) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/events") {
		time.Sleep(500 * time.Millisecond)
	}
	return l.next.RoundTrip(request)
}

func TestSettledWaitsForEventsOnTheirWay(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		return nil, errors.New("no text is " + req.Parent.Spec.Text)
	}, configure(func(config *operatortest.Config) {
		config.Transport = func(next http.RoundTripper) http.RoundTripper { return lateEvents{next} }
	}))
	told := func() (count int) {
		cluster.Settled()
		for _, request := range cluster.Requests() {
			if request.Resource == "events" {
				count++
			}
		}
		return count
	}
	for n, text := range []string{"two", "three", "four"} {
		cluster.Update(ledger, func() { ledger.Spec.Text = text })
		if got := told(); got < n+1 {
			t.Errorf("settled with %d Events about %d errors", got, n+1)
		}
	}
}

// What others change meanwhile is no sign of an operator that does not converge.
func TestConvergedBeginsAgainWhenOthersChangeSomething(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		want.ConfigMaps.Add(textMap(req.Parent.Name, "one"))
		status := new(LedgerStatus)
		if child, ok := req.Children.ConfigMaps.Get(req.Parent.Name); ok {
			status.Phase = child.Labels["someone"]
		}
		return &ledgerResponse{Children: want, Status: status}, nil
	})
	child := textMap("web", "")
	cluster.Exists(child)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := range 15 {
			select {
			case <-stop:
				return
			case <-time.After(40 * time.Millisecond):
			}
			patch := textMap("web", "one")
			patch.Namespace = cluster.Namespace
			metav1.SetMetaDataLabel(&patch.ObjectMeta, "someone", string(rune('a'+n%26)))
			_ = cluster.Client.Patch(t.Context(), patch, mergeLabels(patch.Labels))
		}
	}()
	cluster.Converged(ledger)
	close(stop)
	<-stopped
}

// mergeLabels is a patch that sets labels and leaves everything else alone.
func mergeLabels(labels map[string]string) client.Patch {
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err != nil {
		panic(err) // strings can be marshalled
	}
	return client.RawPatch(types.MergePatchType, data)
}

// lateSecond delivers what is watched of an object named second two seconds late, beside what comes of others meanwhile.
type lateSecond struct{ next http.RoundTripper }

func (l lateSecond) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err != nil || !request.URL.Query().Has("watch") || !strings.HasSuffix(request.URL.Path, "/ledgers") {
		return response, err
	}
	body, late := response.Body, new(sync.WaitGroup)
	reader, writer := io.Pipe()
	response.Body = bothClosed{reader, body}
	go func() {
		lines := bufio.NewReader(body)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				late.Wait()
				writer.CloseWithError(err)
				return
			}
			if !bytes.Contains(line, []byte(`"name":"second"`)) {
				_, _ = writer.Write(line)
				continue
			}
			late.Go(func() {
				time.Sleep(2 * time.Second)
				_, _ = writer.Write(line)
			})
		}
	}()
	return response, nil
}

// bothClosed closes what it reads from, and what feeds that.
type bothClosed struct {
	*io.PipeReader
	source io.Closer
}

func (b bothClosed) Close() error { return errors.Join(b.PipeReader.Close(), b.source.Close()) }

// TestSettledSeesTheWritesOfOthers has a client write that the harness knows nothing of. Once a watch has delivered the first
// of two writes, Settled waits for the second one.
func TestSettledSeesTheWritesOfOthers(t *testing.T) {
	cluster, ledger := run(t, copyOut, configure(func(config *operatortest.Config) {
		config.Transport = func(next http.RoundTripper) http.RoundTripper { return lateSecond{next} }
	}))
	settings, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := client.New(settings, client.Options{Scheme: cluster.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	second := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "second"}, Spec: LedgerSpec{Text: "one"}}
	cluster.Create(second)
	cluster.Settled()
	for _, text := range []string{"two", "three"} {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"text":"`+text+`"}}`))
		for _, parent := range []*Ledger{second, ledger} {
			if err := stranger.Patch(t.Context(), parent, patch); err != nil {
				t.Fatal(err)
			}
		}
		cluster.Matches(textMap("web", text))
		cluster.Settled()
		child := textMap("second", "")
		if !cluster.Get(child) || child.Data["text"] != text {
			t.Fatalf("settled with %q, want %q", child.Data["text"], text)
		}
	}
}
