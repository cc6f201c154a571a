package poll

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// Source is a Poll that controllers are attached to. It runs while one is.
type Source struct {
	process.Receivers
	*Poll
}

// Attach adds a receiver, and asks about keys, until ctx ends.
func (s *Source) Attach(ctx context.Context, receiver process.Receiver) {
	s.Receivers.Attach(ctx, receiver)
	go s.Run(ctx, receiver.Now, receiver.CountAbandoned)
}

// Forget drops a parent and what it alone wants to know.
func (s *Source) Forget(empty client.Object, name types.NamespacedName) {
	s.Poll.Forget(parentOf(empty, name))
}

// AnswersFor returns the latest answers about keys for a parent; see [Poll.Answers].
func (s *Source) AnswersFor(parent client.Object, keys []any) []Answer {
	return s.Answers(parentOf(parent, client.ObjectKeyFromObject(parent)), keys)
}

// parentOf names a parent. object has its kind.
func parentOf(object client.Object, name types.NamespacedName) Parent {
	if _, ok := object.(runtime.Unstructured); ok {
		return Parent{object.GetObjectKind().GroupVersionKind(), name}
	}
	return Parent{reflect.TypeOf(object), name}
}
