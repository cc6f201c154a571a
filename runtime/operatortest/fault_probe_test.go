package operatortest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// probe is a transport that looks at the first patch of the ConfigMap web.
type probe struct {
	mu      sync.Mutex
	t       *testing.T
	cluster *operatortest.Cluster // nil before it begins
	saw     string                // what the operator sees of the patch
	text    string                // of the ConfigMap at this moment
}

func (p *probe) wrap(next http.RoundTripper) http.RoundTripper {
	return through(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, "/configmaps/web") {
			p.look(response, err)
		}
		return response, err
	})
}

// through is a transport.
type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (p *probe) begin(t *testing.T, cluster *operatortest.Cluster) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t, p.cluster = t, cluster
}

func (p *probe) look(response *http.Response, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cluster == nil || p.saw != "" {
		return
	}
	p.saw = describeAnswer(response, err)
	child := textMap("web", "")
	child.Namespace = p.cluster.Namespace
	if err := p.cluster.Client.Get(p.t.Context(), client.ObjectKeyFromObject(child), child); err != nil {
		p.t.Error(err)
	}
	p.text = child.Data["text"]
}

func (p *probe) over() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.saw == "" {
		return errors.New("there was none")
	}
	return nil
}

// describeAnswer is the code of an answer with what it says beside that, or a
// part of the error.
func describeAnswer(response *http.Response, err error) string {
	if err != nil {
		for _, part := range []string{"connection reset", "timeout", "has crashed"} {
			if strings.Contains(err.Error(), part) {
				return part
			}
		}
		return err.Error()
	}
	text := fmt.Sprint(response.StatusCode)
	if after := response.Header.Get("Retry-After"); after != "" {
		text += " retry after " + after
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Details != nil {
		for _, cause := range status.Details.Causes {
			if cause.Field != "" {
				text += " " + cause.Field
			}
		}
	}
	return text
}

// struck returns an error until a fault has struck.
func struck(cluster *operatortest.Cluster, fault operatortest.Fault) error {
	if cluster.Struck(fault) == 0 {
		return errors.New("it has not")
	}
	return nil
}
