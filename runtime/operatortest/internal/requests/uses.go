package requests

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Use is a permission that a request has needed, as rules of RBAC name it.
type Use struct {
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"`
	Resource  string `json:"resource"`            // the plural, with its subresource
	Namespace string `json:"namespace,omitempty"` // empty: of the whole cluster
	Name      string `json:"name,omitempty"`      // empty: of no single object
}

// String returns the permission as messages name it, such as "patch deployments.apps/status".
func (u Use) String() string {
	if u.Group == "" {
		return u.Verb + " " + u.Resource
	}
	base, subresource, found := strings.Cut(u.Resource, "/")
	if !found {
		return u.Verb + " " + base + "." + u.Group
	}
	return u.Verb + " " + base + "." + u.Group + "/" + subresource
}

// readUse returns the permission that a request needs. It has no resource for discovery.
func readUse(request *http.Request) Use {
	made := Read(request)
	use := Use{Verb: made.Verb, Resource: made.Resource, Namespace: made.Namespace, Name: made.Name}
	if parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/"); parts[0] == "apis" && len(parts) > 1 {
		use.Group = parts[1]
	}
	if selector, err := fields.ParseSelector(request.URL.Query().Get("fieldSelector")); err == nil && use.Name == "" {
		use.Name, _ = selector.RequiresExactMatch("metadata.name") // as the API server authorizes it
	}
	return use
}

// changesOwners reports whether a request replaces the owner references of an object, as a child is orphaned. Its body can
// still be sent.
func changesOwners(request *http.Request) bool {
	if request.Header.Get("Content-Type") != string(types.MergePatchType) || request.GetBody == nil {
		return false
	}
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	defer body.Close()
	var patch struct {
		Metadata map[string]any `json:"metadata"`
	}
	if json.NewDecoder(body).Decode(&patch) != nil {
		return false
	}
	_, found := patch.Metadata["ownerReferences"]
	return found
}

// impliedUses returns the permissions that the API server has asked for beside that of the request: to create what an
// apply creates, to update the finalizers of an owner whose deletion a reference blocks, and to grant permissions.
func impliedUses(use Use, code int, object map[string]any) (implied []Use) {
	if use.Verb == "patch" && code == http.StatusCreated {
		created := use
		created.Verb, created.Name = "create", ""
		implied = append(implied, created)
	}
	if grant, found := grantUse(use, object); found && code < http.StatusBadRequest {
		implied = append(implied, grant)
	}
	for _, owner := range ownersOf(object) {
		if !owner.Blocks {
			continue
		}
		version, err := schema.ParseGroupVersion(owner.APIVersion)
		if err != nil {
			continue
		}
		implied = append(implied, Use{Verb: "update", Group: version.Group, Resource: kindPrefix + owner.Kind + "/finalizers", Namespace: use.Namespace})
	}
	return implied
}

// grantUse returns the permission by which the API server lets a request grant permissions that the user lacks: to
// escalate a role that is written, or to bind the role of a binding.
func grantUse(use Use, object map[string]any) (Use, bool) {
	if use.Group != rbacv1.GroupName || object == nil || use.Verb == "delete" {
		return Use{}, false
	}
	switch use.Resource {
	case "roles", "clusterroles":
		return Use{Verb: "escalate", Group: use.Group, Resource: use.Resource, Namespace: use.Namespace, Name: use.Name}, true
	case "rolebindings", "clusterrolebindings":
		kind, _, _ := unstructured.NestedString(object, "roleRef", "kind")
		name, _, _ := unstructured.NestedString(object, "roleRef", "name")
		return Use{Verb: "bind", Group: use.Group, Resource: strings.ToLower(kind) + "s", Namespace: use.Namespace, Name: name}, true
	}
	return Use{}, false
}

// kindPrefix begins the resource of a Use whose plural is yet to be found.
const kindPrefix = "kind:"

// OfKind returns the kind and the subresource of a Use whose plural is yet to be found.
func (u Use) OfKind() (kind, subresource string, found bool) {
	resource, found := strings.CutPrefix(u.Resource, kindPrefix)
	kind, subresource, _ = strings.Cut(resource, "/")
	return kind, subresource, found
}

type owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Blocks     bool   `json:"blockOwnerDeletion"`
}

func ownersOf(object map[string]any) []owner {
	var read struct {
		Metadata struct {
			Owners []owner `json:"ownerReferences"`
		} `json:"metadata"`
	}
	data, err := json.Marshal(object)
	if err != nil || json.Unmarshal(data, &read) != nil {
		return nil
	}
	return read.Metadata.Owners
}

// isUnauthorized reports whether the API server has refused a request for a lack of permissions, not for a quota or by
// an author's admission. The body can still be read.
func isUnauthorized(response *http.Response) bool {
	if response.StatusCode != http.StatusForbidden {
		return false
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && (bytes.Contains(body, []byte(`" cannot `)) || // User "…" cannot create resource …
		bytes.Contains(body, []byte("attempting to grant RBAC permissions not currently held")) ||
		bytes.Contains(body, []byte("cannot set blockOwnerDeletion if")) || bytes.Contains(body, []byte("cannot set an ownerRef")))
}
