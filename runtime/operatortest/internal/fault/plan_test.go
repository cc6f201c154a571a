package fault

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

func TestRequestsThatAFaultCounts(t *testing.T) {
	for _, test := range []struct {
		name, method, url string
		verb, resource    string
		expect            bool
	}{
		{"any write", http.MethodPatch, "/apis/apps/v1/namespaces/a/deployments/web", "", "", true},
		{"a verb and a resource", http.MethodPatch, "/apis/apps/v1/namespaces/a/deployments/web", "patch", "deployments", true},
		{"another verb", http.MethodPatch, "/apis/apps/v1/namespaces/a/deployments/web", "create", "deployments", false},
		{"another resource", http.MethodPatch, "/apis/apps/v1/namespaces/a/deployments/web", "patch", "pods", false},
		{"a subresource is another one", http.MethodPatch, "/apis/x.dev/v1/namespaces/a/sites/web/status", "patch", "sites", false},
		{"a subresource", http.MethodPatch, "/apis/x.dev/v1/namespaces/a/sites/web/status", "patch", "sites/status", true},
		{"a read is no write", http.MethodGet, "/api/v1/namespaces/a/pods/web", "", "", false},
		{"a get", http.MethodGet, "/api/v1/namespaces/a/pods/web", "get", "pods", true},
		{"a list", http.MethodGet, "/api/v1/namespaces/a/pods", "list", "pods", true},
		{"a watch is no list", http.MethodGet, "/api/v1/namespaces/a/pods?watch=true", "list", "pods", false},
		{"a watch", http.MethodGet, "/api/v1/namespaces/a/pods?watch=true", "watch", "", true},
		{"a dry run", http.MethodPatch, "/api/v1/namespaces/a/pods/web?dryRun=All", "patch", "pods", false},
		{"an Event", http.MethodPost, "/apis/events.k8s.io/v1/namespaces/a/events", "", "", false},
		{"an Event of the core group", http.MethodPost, "/api/v1/namespaces/a/events", "create", "", false},
		{"a lease", http.MethodPut, "/apis/coordination.k8s.io/v1/namespaces/a/leases/web", "update", "", false},
		{"a lease that is asked for", http.MethodPut, "/apis/coordination.k8s.io/v1/namespaces/a/leases/web", "update", "leases", true},
		{"a review of access", http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", "create", "", false},
		{"discovery", http.MethodGet, "/apis/apps/v1", "get", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(test.method, test.url, nil)
			if got := matchesRequest(test.verb, test.resource, requests.Read(request), request.URL.Path); got != test.expect {
				t.Errorf("got %v", got)
			}
		})
	}
}
