package requests

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// Written has the state of each object that the clients of one test have written, as the API server has answered their last
// write. Nobody has to ask the API server for it.
type Written struct {
	mu         sync.Mutex
	objects    map[schema.GroupResource]map[types.NamespacedName]State
	order      map[schema.GroupResource][]types.NamespacedName // of the writes
	unclear    map[schema.GroupResource]int                    // writes whose answer does not say what they have changed
	namespaces map[string]bool                                 // that were written to
	versions   map[string]bool                                 // resource versions that the writes have made
	count      int                                             // of all writes
}

// State is an object after a write.
type State struct {
	UID             types.UID
	ResourceVersion string
	Labels          map[string]string
	Deleted         bool
}

// Since returns the objects of a resource that were written after the first n writes, and how many writes there are now.
func (w *Written) Since(resource schema.GroupResource, n int) ([]types.NamespacedName, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := w.order[resource]
	return slices.Clone(names[n:]), len(names)
}

// State returns the state of an object after its last write.
func (w *Written) State(resource schema.GroupResource, name types.NamespacedName) (State, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	state, found := w.objects[resource][name]
	return state, found
}

// Unclear returns how many writes to a resource were answered without the state of what they have changed, such as the
// deletion of a collection.
func (w *Written) Unclear(resource schema.GroupResource) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unclear[resource]
}

// Has reports whether an object of a resource was written.
func (w *Written) Has(resource schema.GroupResource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.order[resource]) > 0 || w.unclear[resource] > 0
}

// HasVersion reports whether one of the writes has made a resource version, which is that of one object alone.
func (w *Written) HasVersion(version string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.versions[version]
}

// Count returns the number of all writes.
func (w *Written) Count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// Namespaces returns a namespace and those with objects that were written.
func (w *Written) Namespaces(own string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]bool{own: true}
	maps.Copy(all, w.namespaces)
	delete(all, "") // of cluster-scoped objects
	return slices.Sorted(maps.Keys(all))
}

// HasNamespace reports whether an object in a namespace was written.
func (w *Written) HasNamespace(namespace string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.namespaces[namespace]
}

// record adds a write. The body is that of its answer, or nil if there was none.
func (w *Written) record(use Use, body []byte) {
	resource, _ := use.object()
	name := types.NamespacedName{Namespace: use.Namespace, Name: use.Name}
	if resource.Resource == "namespaces" {
		name.Namespace = "" // a request has the namespace itself there
	}
	state, answered, ok := readState(body)
	if ok && name.Name == "" {
		name.Name = answered
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.objects == nil {
		w.objects, w.order = map[schema.GroupResource]map[types.NamespacedName]State{}, map[schema.GroupResource][]types.NamespacedName{}
		w.unclear, w.namespaces, w.versions = map[schema.GroupResource]int{}, map[string]bool{}, map[string]bool{}
	}
	w.count++
	w.versions[state.ResourceVersion] = true
	w.namespaces[name.Namespace] = true
	known, isKnown := w.objects[resource][name]
	switch {
	case !ok || name.Name == "" || answered != name.Name,
		state.Deleted && isKnown && known.UID != state.UID && !known.Deleted: // the order of the two is not known
		w.unclear[resource]++
	case isKnown && known.UID == state.UID && (known.Deleted || !state.Deleted && isNewer(known.ResourceVersion, state.ResourceVersion)):
		// Answers may come in another order than the writes.
	default:
		if w.objects[resource] == nil {
			w.objects[resource] = map[types.NamespacedName]State{}
		}
		w.objects[resource][name] = state
		w.order[resource] = append(w.order[resource], name)
	}
}

// isNewer reports whether a resource version is newer than another.
func isNewer(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order > 0
}

// readState reads the state of an object and its name from the answer to a write: the object, or the status of a deletion
// that has removed it.
func readState(body []byte) (state State, name string, ok bool) {
	if bytes.HasPrefix(body, []byte("k8s\x00")) {
		decoded, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return State{}, "", false
		}
		if status, isStatus := decoded.(*metav1.Status); isStatus {
			return stateOfStatus(status)
		}
		object, err := meta.Accessor(decoded)
		if err != nil {
			return State{}, "", false
		}
		return stateOf(object)
	}
	var read struct {
		metav1.PartialObjectMetadata
		Status  json.RawMessage       `json:"status"`
		Details *metav1.StatusDetails `json:"details"`
	}
	if json.Unmarshal(body, &read) != nil {
		return State{}, "", false
	}
	if read.Kind == "Status" && read.APIVersion == "v1" {
		return stateOfStatus(&metav1.Status{Status: strings.Trim(string(read.Status), `"`), Details: read.Details})
	}
	return stateOf(&read.PartialObjectMetadata)
}

func stateOf(object metav1.Object) (State, string, bool) {
	state := State{UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(), Labels: object.GetLabels()}
	return state, object.GetName(), state.UID != "" && state.ResourceVersion != ""
}

func stateOfStatus(status *metav1.Status) (State, string, bool) {
	if status.Status != metav1.StatusSuccess || status.Details == nil || status.Details.UID == "" {
		return State{}, "", false
	}
	return State{UID: status.Details.UID, Deleted: true}, status.Details.Name, true
}

// Recorder is a transport that records the writes of another client than the operator's.
type Recorder struct {
	Next    http.RoundTripper
	Written *Written
	// Wrote is called with the resource and the name of what was written, the name empty for several objects.
	Wrote func(schema.GroupResource, string)
}

// RoundTrip sends a request, and records what it has written.
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	made, counts := Parse(request)
	response, err := r.Next.RoundTrip(request)
	if !counts || !made.writes() || err == nil && response.StatusCode >= http.StatusBadRequest {
		return response, err
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	use := readUse(request)
	r.Written.record(use, body)
	r.Wrote(use.object())
	return response, err
}

// object returns the resource that a permission is for, without its subresource, and the name of the object.
func (u Use) object() (schema.GroupResource, string) {
	base, _, _ := strings.Cut(u.Resource, "/")
	return schema.GroupResource{Group: u.Group, Resource: base}, u.Name
}

// writes reports whether a request is to change something.
func (r Request) writes() bool { return r.Verb != "get" && !r.DryRun }
