package apply

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// childOnServer is one child on a server.
type childOnServer struct {
	*server
	*Applier
	state *AppliedState
	now   time.Time
	like  client.Object // of the kind
	wish  Desired       // what is not in an object: strategy, policies

	applied bool // the child is made by an apply
}

// child is a child of the kind that an object has.
func (s *server) child(like client.Object, wish Desired) *childOnServer {
	s.t.Helper()
	gvk, err := apiutil.GVKForObject(like, clientgoscheme.Scheme)
	if err != nil {
		s.t.Fatal(err)
	}
	wish.Kind, wish.Owner = gvk, s.owner.UID
	if wish.Update == "" {
		wish.Update = declared.InPlace
	}
	wish.HashKey = hashKey
	wish.Name = types.NamespacedName{Namespace: s.namespace, Name: like.GetName()}
	applier := &Applier{Client: s.counted, LiveReader: s.counted, Manager: manager, ParentOf: parentOf}
	applier.New = func() client.Object {
		if u, ok := like.(*unstructured.Unstructured); ok {
			empty := new(unstructured.Unstructured)
			empty.SetGroupVersionKind(u.GroupVersionKind())
			return empty
		}
		empty, err := clientgoscheme.Scheme.New(gvk)
		if err != nil {
			s.t.Fatal(err)
		}
		return empty.(client.Object)
	}
	return &childOnServer{server: s, Applier: applier, state: new(AppliedState), now: time.Unix(1e9, 0), like: like, wish: wish}
}

func parentOf(object client.Object) (types.UID, string) {
	if ref := metav1.GetControllerOf(object); ref != nil {
		return ref.UID, ref.Name
	}
	return "", ""
}

// restart drops the applied state.
func (c *childOnServer) restart() { c.state = new(AppliedState) }

// live returns the child as somebody else reads it; nil when there is none.
func (c *childOnServer) live() client.Object {
	c.t.Helper()
	object := c.New()
	err := c.Get(c.t.Context(), c.wish.Name, object)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return object
}

// cached returns the child as a cache shows it: with our field managers only.
func (c *childOnServer) cached() client.Object {
	c.t.Helper()
	object := c.live()
	if object == nil {
		return nil
	}
	if c.Metadata {
		object = metadataOf(object)
	}
	trimmed, err := managedfields.NewTrimmer().Trim(object)
	if err != nil {
		c.t.Fatal(err)
	}
	return trimmed.(client.Object)
}

func (c *childOnServer) desired(object any) Desired {
	c.t.Helper()
	content, err := Canonical(object)
	if err != nil {
		c.t.Fatal(err)
	}
	ensureObject(content, "metadata")["ownerReferences"] = []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "name": c.owner.Name, "uid": string(c.owner.UID), "controller": true, "blockOwnerDeletion": true,
	}}
	d, err := NewDesired(c.wish, content)
	if err != nil {
		c.t.Fatal(err)
	}
	d.Source = sourceOf(object)
	return d
}

// sourceOf is the object that a plain create may send as it is.
func sourceOf(object any) client.Object {
	source, ok := object.(client.Object)
	if _, dynamic := object.(runtime.Unstructured); !ok || dynamic {
		return nil
	}
	if secret, ok := object.(*corev1.Secret); ok && len(secret.StringData) > 0 {
		return nil
	}
	return source
}

// reconcile brings the child to a desired state, as one reconcile does.
func (c *childOnServer) reconcile(object any) (Outcome, error) {
	c.t.Helper()
	d, live := c.desired(object), c.cached()
	if c.applied && live == nil {
		return c.applyFirst(d)
	}
	if d.Source == nil {
		return c.ApplyChild(c.t.Context(), c.now, c.state, d, live)
	}
	before := d.Source.DeepCopyObject()
	defer func() {
		if !reflect.DeepEqual(d.Source, before) {
			c.t.Errorf("the author's object has changed: %v, was %v", d.Source, before)
		}
	}()
	return c.ApplyChild(c.t.Context(), c.now, c.state, d, live)
}

// applyFirst creates the child by an apply, so that it looks like one that was adopted or changed
// since.
func (c *childOnServer) applyFirst(d Desired) (Outcome, error) {
	c.t.Helper()
	object, err := c.newClient().applyIf(c.t.Context(), d, "resourceVersion", "1")
	if err != nil {
		c.t.Fatal(err)
	}
	if c.Metadata {
		object = metadataOf(object)
	}
	return Outcome{Action: Created, Object: object}, c.newApply(c.now, c.state, d).recordApplied(object)
}

// settle reconciles until no write of the cluster's own controllers interferes.
func (c *childOnServer) settle(object any) Outcome {
	c.t.Helper()
	for range 20 {
		outcome, err := c.reconcile(object)
		if err == nil {
			return outcome
		}
		if !errors.As(err, new(ErrStale)) {
			c.t.Fatal(err)
		}
	}
	c.t.Fatal("the child never stays the same")
	return Outcome{}
}

// expect reconciles, which must do this, with these requests. Where one of the
// cluster's own controllers writes to the child meanwhile, it reconciles again;
// what it had written by then counts.
func (c *childOnServer) expect(object any, action Action, requests string) Outcome {
	c.t.Helper()
	c.made()
	outcome, err := c.reconcile(object)
	var before string
	for tries := 0; errors.As(err, new(ErrStale)) && tries < 20; tries++ {
		before += upToLastWrite(c.made())
		outcome, err = c.reconcile(object)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if outcome.Action != action {
		c.t.Errorf("the child is %s, want %s", outcome.Action, action)
	}
	if made := strings.TrimSuffix(before+c.made(), ", "); made != requests {
		c.t.Errorf("requests: %q, want %q", made, requests)
	}
	return outcome
}

// upToLastWrite returns the requests up to the last one that has written something,
// as far as others follow.
func upToLastWrite(requests string) string {
	made := strings.SplitAfter(requests, ", ")
	for i, request := range slices.Backward(made) {
		verb, code, _ := strings.Cut(strings.TrimSuffix(request, ", "), " ")
		if verb != "get" && verb != "dry" && strings.HasPrefix(code, "2") {
			return strings.TrimSuffix(strings.Join(made[:i+1], ""), ", ") + ", "
		}
	}
	return ""
}

// edit changes the child as somebody else.
func (c *childOnServer) edit(manager string, change func(client.Object)) {
	c.t.Helper()
	for {
		object := c.live()
		change(object)
		err := c.Update(c.t.Context(), object, client.FieldOwner(manager))
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			c.t.Fatal(err)
		}
	}
}
