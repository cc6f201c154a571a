package requests

import (
	"net/http"
	"testing"
)

func TestParseRequest(t *testing.T) {
	for _, test := range []struct {
		method, url string
		want        string // empty: not counted
		namespace   string
	}{
		{"POST", "/api/v1/namespaces/a/pods", "create pods : 0", "a"},
		{"PATCH", "/api/v1/namespaces/a/pods/web?fieldManager=x", "patch pods web: 0", "a"},
		{"PUT", "/apis/apps/v1/namespaces/a/deployments/web/status", "update deployments/status web: 0", "a"},
		{"DELETE", "/api/v1/persistentvolumes/disk", "delete persistentvolumes disk: 0", ""},
		{"DELETE", "/api/v1/namespaces/a/pods", "deletecollection pods : 0", "a"},
		{"GET", "/apis/example.com/v1/namespaces/a/sites/web", "get sites web: 0", "a"},
		{"PATCH", "/api/v1/namespaces/a", "patch namespaces a: 0", "a"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize a: 0", "a"},
		{"GET", "/api/v1/namespaces/a/pods?limit=500", "", ""},
		{"GET", "/api/v1/namespaces/a/pods/web?watch=true", "", ""},
		{"GET", "/apis/apps/v1", "", ""},
		{"GET", "/version", "", ""},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/us", "", ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, "https://example.com"+test.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, counts := Parse(request)
		if counts != (test.want != "") || counts && (got.String() != test.want || got.Namespace != test.namespace) {
			t.Errorf("%s %s is %q in %q, %v", test.method, test.url, got, got.Namespace, counts)
		}
	}
}
