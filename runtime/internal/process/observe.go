package process

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// errObserving is the error of a write by an operator that only observes.
var errObserving = errors.New("this operator runs with --observe and writes nothing")

// isObservable reports whether a request changes nothing: a dry run, or a review of who a user is
// and what that may do.
func isObservable(request *http.Request) bool {
	return request.URL.Query().Get("dryRun") == "All" ||
		strings.HasPrefix(request.URL.Path, "/apis/authentication.k8s.io/") || strings.HasPrefix(request.URL.Path, "/apis/authorization.k8s.io/")
}

// ClientFor returns the client by which a controller's reconciles write. That of an operator that
// observes sends dry runs, and logs and counts what would be written.
func (e *Environment) ClientFor(mgr manager.Manager, controller string) client.Client {
	if !e.Observe {
		return mgr.GetClient()
	}
	return observingClient{client.NewDryRunClient(mgr.GetClient()), mgr.GetAPIReader(), controller, e.Metrics}
}

// Observations remembers which writes the last reconcile of each parent would have made, so that
// each is reported once and not with every reconcile.
type Observations struct {
	mu     sync.Mutex
	byName map[client.ObjectKey]map[uint64]bool // hashes of the writes
}

// observation is what one reconcile would have written.
type observation struct{ earlier, writes map[uint64]bool }

type observationKey struct{}

// Start returns the context of a reconcile whose writes are observed. end reports whether there
// were any.
func (o *Observations) Start(ctx context.Context, parent client.ObjectKey) (_ context.Context, end func() bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	current := &observation{o.byName[parent], map[uint64]bool{}}
	return context.WithValue(ctx, observationKey{}, current), func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.byName == nil {
			o.byName = map[client.ObjectKey]map[uint64]bool{}
		}
		if o.byName[parent] = current.writes; len(current.writes) == 0 {
			delete(o.byName, parent)
		}
		return len(current.writes) > 0
	}
}

// observingClient sends each create and patch as a dry run, and no delete at all. It reports what
// would have been written.
type observingClient struct {
	client.Client // sends dry runs
	live          client.Reader
	controller    string
	metrics       Metrics
}

// Create creates an object.
func (c observingClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.Client.Create(ctx, object, options...)
	if err == nil && len(new(client.CreateOptions).ApplyOptions(options).DryRun) == 0 {
		c.report(ctx, "create", object, nil, "")
	}
	return err
}

// Patch patches an object.
func (c observingClient) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := c.Client.Patch(ctx, object, patch, options...)
	if err != nil || len(new(client.PatchOptions).ApplyOptions(options).DryRun) > 0 {
		return err
	}
	return c.reportPatch(ctx, "patch", object)
}

// Update replaces an object.
func (c observingClient) Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error {
	if err := c.Client.Update(ctx, object, options...); err != nil {
		return err
	}
	return c.reportPatch(ctx, "update", object)
}

// Delete reports that an object would be deleted.
func (c observingClient) Delete(ctx context.Context, object client.Object, _ ...client.DeleteOption) error {
	c.report(ctx, "delete", object, nil, "")
	return nil
}

// SubResource returns a client of a subresource.
func (c observingClient) SubResource(name string) client.SubResourceClient {
	return observingSubresource{c.Client.SubResource(name), name, c}
}

// observingSubresource sends each create of a subresource as a dry run, such as the eviction of a Pod.
type observingSubresource struct {
	client.SubResourceClient
	name   string
	client observingClient
}

// Create creates a subresource of an object.
func (s observingSubresource) Create(ctx context.Context, object, subresource client.Object, options ...client.SubResourceCreateOption) error {
	if err := s.SubResourceClient.Create(ctx, object, subresource, options...); err != nil {
		return err
	}
	s.client.report(ctx, "create "+s.name, object, nil, "")
	return nil
}

// Status returns a writer of statuses.
func (c observingClient) Status() client.SubResourceWriter {
	return observingStatus{c.Client.Status(), c}
}

// observingStatus sends each patch of a status as a dry run.
type observingStatus struct {
	client.SubResourceWriter
	client observingClient
}

// Patch patches a status.
func (s observingStatus) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
	if err := s.SubResourceWriter.Patch(ctx, object, patch, options...); err != nil {
		return err
	}
	return s.client.reportPatch(ctx, "patch status", object)
}

// reportPatch reports a patch if the answer to its dry run differs from the object.
func (c observingClient) reportPatch(ctx context.Context, verb string, answer client.Object) error {
	current := answer.DeepCopyObject().(client.Object)
	if err := c.live.Get(ctx, client.ObjectKeyFromObject(answer), current); err != nil {
		return client.IgnoreNotFound(err)
	}
	before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(current)
	if err != nil {
		return err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(answer)
	if err != nil {
		return err
	}
	if fields := differentFields("", before, after); len(fields) > 0 {
		if _, isSecret := answer.(*corev1.Secret); isSecret {
			delete(after, "data") // a value that is generated is another one in each dry run
		}
		c.report(ctx, verb, answer, fields, comparableJSON(after))
	}
	return nil
}

// comparableJSON returns the content of an object without its status, and without what each answer to
// a dry run has of its own.
func comparableJSON(content map[string]any) string {
	content = maps.Clone(content)
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		content["metadata"] = map[string]any{"labels": metadata["labels"], "annotations": metadata["annotations"], "finalizers": metadata["finalizers"]}
	}
	text, _ := json.Marshal(content) // it was decoded from JSON
	return string(text)
}

// report logs and counts a write, unless the last reconcile of the parent would have made it too.
// It names fields and no values.
func (c observingClient) report(ctx context.Context, verb string, object client.Object, fields []string, content string) {
	kind := ""
	if gvk, err := apiutil.GVKForObject(object, c.Scheme()); err == nil {
		kind = gvk.Kind
	}
	key := strings.TrimPrefix(client.ObjectKeyFromObject(object).String(), "/")
	hash := fnv.New64a()
	for _, text := range append([]string{verb, kind, key, content}, fields...) {
		hash.Write([]byte(text + "\n"))
	}
	if current, ok := ctx.Value(observationKey{}).(*observation); ok {
		isKnown := current.earlier[hash.Sum64()] || current.writes[hash.Sum64()]
		if current.writes[hash.Sum64()] = true; isKnown {
			return
		}
	}
	c.metrics.CountObservedWrite(c.controller, kind, verb)
	log.FromContext(ctx).Info("would write", "verb", verb, "kind", kind, "object", key, "fields", strings.Join(fields, ", "))
}

// differentFields returns the paths of the fields that differ, without what the API server sets by
// itself. Of lists it returns the path of the list.
func differentFields(path string, before, after map[string]any) (paths []string) {
	names := map[string]bool{}
	for _, content := range []map[string]any{before, after} {
		for name := range content {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		below := strings.TrimPrefix(path+"."+name, ".")
		old, isObject := before[name].(map[string]any)
		current, areObjects := after[name].(map[string]any)
		switch {
		case slices.Contains([]string{"apiVersion", "kind", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "metadata.creationTimestamp"}, below):
		case isObject && areObjects:
			paths = append(paths, differentFields(below, old, current)...)
		case !reflect.DeepEqual(before[name], after[name]):
			paths = append(paths, below)
		}
	}
	return paths
}
