package operator

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// Desired returns what Sync desired of the child with this name when the operator last wrote it: the
// fields that Sync had set, without the defaults of the API server and the fields of others. Change what
// is to change, and desire the result:
//
//	if old, ok := req.Children.ReplicaSets.Desired(name); ok {
//		old.Spec.Replicas = ptr.To[int32](0)
//		want.ReplicaSets.Add(old)
//	}
//
// The spec file allows it by keepDesired, without which Desired panics. It returns false if there is no
// such child, and if it is not known what was desired of it: the operator has not written it since the
// spec file says keepDesired, or somebody has edited the annotation while the operator was down. Keep such
// a child, or desire all of it. Desired takes names as Get does.
//
// Options are not a part of it. A zero value that an apply configuration had set is, but a typed object
// that is added does not set it.
func (s Snapshot[T]) Desired(name string) (child T, ok bool) {
	i, ok := s.find(name)
	if s.isObserved && s.desired == nil && !s.isUnserved {
		panic("the kind does not keep what is desired of its children: the spec file allows it by keepDesired: true")
	}
	if !ok {
		return child, false
	}
	if s.desired == nil { // of a test
		return asDesired(s.items[i], textOf(s.items[i]))
	}
	text, ok := s.desired[client.ObjectKeyFromObject(s.items[i])]
	if !ok {
		return child, false
	}
	return asDesired(s.items[i], text)
}

// WithDesired returns the snapshot with these objects as what was desired of its children, for tests of
// Sync. Of other children it is not known. Without WithDesired, each child of a test was desired as it is
// given, but for its status.
func (s Snapshot[T]) WithDesired(objects ...T) Snapshot[T] {
	desired := map[types.NamespacedName]string{}
	maps.Copy(desired, s.desired)
	for _, object := range objects {
		desired[client.ObjectKeyFromObject(object)] = textOf(object)
	}
	s.desired = desired
	return s
}

// textOf returns what an object desires, as JSON.
func textOf(object client.Object) string {
	content, err := apply.Canonical(object)
	if err != nil {
		panic(err) // no Kubernetes object has such a Go type
	}
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // these are JSON values
	}
	return string(text)
}

// asDesired returns the desired state in a text as an object of the Go type and the name of another one. It
// returns false if the text does not fit the type.
func asDesired[T client.Object](observed T, text string) (none T, ok bool) {
	content := map[string]any{}
	desired := reflect.New(reflect.TypeOf(observed).Elem()).Interface().(T)
	if err := json.Unmarshal([]byte(text), &content); err != nil || content == nil {
		return none, false
	}
	if dynamic, isDynamic := any(desired).(*unstructured.Unstructured); isDynamic {
		dynamic.Object = content
		dynamic.SetGroupVersionKind(observed.GetObjectKind().GroupVersionKind())
	} else if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, desired); err != nil {
		return none, false
	}
	desired.SetName(observed.GetName())
	desired.SetNamespace(observed.GetNamespace())
	return desired, true
}
