package requests

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestUsesAreWhatTheAPIServerAuthorizes(t *testing.T) {
	owned := map[string]any{"metadata": map[string]any{"ownerReferences": []any{
		map[string]any{"apiVersion": "demo.example.com/v1", "kind": "Shop", "blockOwnerDeletion": true},
		map[string]any{"apiVersion": "v1", "kind": "Node"},
	}}}
	rbac := "rbac.authorization.k8s.io"
	binding := map[string]any{"roleRef": map[string]any{"kind": "ClusterRole", "name": "reader"}}
	for _, test := range []struct {
		method, url string
		code        int
		object      map[string]any
		want        []Use
	}{
		{"GET", "/api/v1/pods?watch=true", 200, nil, []Use{{Verb: "watch", Resource: "pods"}}},
		{"GET", "/apis/apps/v1/namespaces/a/deployments", 200, nil, []Use{{"list", "apps", "deployments", "a", ""}}},
		{"GET", "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Ddb", 200, nil, []Use{{"list", "", "secrets", "a", "db"}}},
		{"POST", "/api/v1/namespaces/a/pods/web/eviction", 201, nil, []Use{{"create", "", "pods/eviction", "a", "web"}}},
		{"PATCH", "/api/v1/namespaces/a/pods/web", 200, nil, []Use{{"patch", "", "pods", "a", "web"}}},
		{"PATCH", "/api/v1/namespaces/a/pods/web", 201, nil, []Use{{"create", "", "pods", "a", ""}, {"patch", "", "pods", "a", "web"}}},
		{"POST", "/api/v1/namespaces/a/pods", 201, owned, []Use{{"update", "demo.example.com", "kind:Shop/finalizers", "a", ""}, {"create", "", "pods", "a", ""}}},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/us", 200, nil, []Use{{"update", "coordination.k8s.io", "leases", "a", "us"}}},
		{"POST", "/apis/" + rbac + "/v1/clusterroles", 201, map[string]any{}, []Use{{"escalate", rbac, "clusterroles", "", ""}, {"create", rbac, "clusterroles", "", ""}}},
		{"POST", "/apis/" + rbac + "/v1/clusterroles", 403, map[string]any{}, []Use{{"create", rbac, "clusterroles", "", ""}}},
		{"DELETE", "/apis/" + rbac + "/v1/clusterroles/reader", 200, map[string]any{}, []Use{{"delete", rbac, "clusterroles", "", "reader"}}},
		{"PATCH", "/apis/" + rbac + "/v1/namespaces/a/rolebindings/web", 200, binding, []Use{{"bind", rbac, "clusterroles", "a", "reader"}, {"patch", rbac, "rolebindings", "a", "web"}}},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, "https://example.com"+test.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		use := readUse(request)
		if got := append(impliedUses(use, test.code, test.object), use); !slices.Equal(got, test.want) {
			t.Errorf("%s %s uses %v, expected %v", test.method, test.url, got, test.want)
		}
	}
}

// The API server lets only who may delete an object change its owners. An apply names them in each request.
func TestOrphaningChangesOwners(t *testing.T) {
	for _, test := range []struct {
		patch types.PatchType
		body  string
		want  bool
	}{
		{types.MergePatchType, `{"metadata": {"ownerReferences": []}}`, true},
		{types.MergePatchType, `{"metadata": {"labels": {"a": null}}}`, false},
		{types.MergePatchType, `{`, false},
		{types.ApplyPatchType, `{"metadata": {"ownerReferences": []}}`, false},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "https://example.com/api/v1/namespaces/a/pods/web", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", string(test.patch))
		if got := changesOwners(request); got != test.want {
			t.Errorf("%s %s changes owners: %v", test.patch, test.body, got)
		}
		if body, err := io.ReadAll(request.Body); err != nil || string(body) != test.body {
			t.Errorf("the body that is left is %q, %v", body, err)
		}
	}
}

// Quotas and webhooks refuse with the same code.
func TestOnlyALackOfPermissionsIsUnauthorized(t *testing.T) {
	for text, want := range map[string]bool{
		`{"message":"pods is forbidden: User \"shop\" cannot create resource \"pods\" in API group \"\""}`:                                           true,
		`{"message":"pods \"a\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"}`: true,
		`{"message":"pods \"a\" is forbidden: cannot set an ownerRef on a resource you can't delete"}`:                                               true,
		`{"message":"pods \"a\" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for Kind Shop"}`:            false,
		`{"message":"clusterroles \"a\" is forbidden: user \"shop\" is attempting to grant RBAC permissions not currently held:"}`:                   true,
		`{"message":"pods \"a\" is forbidden: exceeded quota: small"}`:                                                                               false,
		`{"message":"admission webhook \"policy\" denied the request: a Pod cannot have this name"}`:                                                 false,
		`{"message":"unable to create new content in namespace a because it is being terminated"}`:                                                   false,
	} {
		response := &http.Response{StatusCode: http.StatusForbidden, Body: io.NopCloser(bytes.NewBufferString(text))}
		if got := isUnauthorized(response); got != want {
			t.Errorf("%s: %t", text, got)
		}
		if rest, err := io.ReadAll(response.Body); err != nil || string(rest) != text {
			t.Errorf("the body is %q afterwards, %v", rest, err)
		}
	}
	if isUnauthorized(&http.Response{StatusCode: http.StatusConflict, Body: http.NoBody}) {
		t.Error("a conflict is unauthorized")
	}
}
