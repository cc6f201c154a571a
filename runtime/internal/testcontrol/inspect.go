package testcontrol

import (
	"context"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// inspectCalls returns calls of Sync that a test can inspect: Sync is called again with the same request,
// and the record of the reconcile says how its answers differ and what it changed in the request. The
// first answer is the one that counts.
func inspectCalls(prepare func(declared.Request) declared.Call) func(declared.Request) declared.Call {
	return func(request declared.Request) declared.Call {
		call := prepare(request)
		return func(ctx context.Context) (*declared.Response, error) {
			r := ReconcileOf(ctx)
			if !r.isInspected {
				return call(ctx)
			}
			before := copyRequest(request)
			first, failed := call(ctx)
			if ctx.Err() == nil {
				second, err := call(ctx)
				impure := r.describeImpurity(before, request, first, second, failed, err)
				r.update(func(record *Record) { record.Impure = impure })
			}
			return first, failed
		}
	}
}

func copyRequest(request declared.Request) declared.Request {
	return declared.Request{Parent: request.Parent.DeepCopyObject().(client.Object), Children: copyViews(request.Children), Related: copyViews(request.Related)}
}

func copyViews(views []declared.View) []declared.View {
	copies := make([]declared.View, len(views))
	for i, view := range views {
		copies[i].Namespace = view.Namespace
		for _, object := range view.Objects {
			copies[i].Objects = append(copies[i].Objects, object.DeepCopyObject().(client.Object))
		}
	}
	return copies
}

// describeImpurity says how two answers to one request differ, and what has changed in the request.
func (r *Reconcile) describeImpurity(before, request declared.Request, first, second *declared.Response, failed, err error) string {
	differ := r.loop.control.Differ
	switch {
	case !reflect.DeepEqual(before.Parent, request.Parent):
		return "it changes the parent that it was given: " + differ(before.Parent, request.Parent)
	case !reflect.DeepEqual(before.Children, copyViews(request.Children)):
		return "it changes the children that it was given"
	case !reflect.DeepEqual(before.Related, copyViews(request.Related)):
		return "it changes the related objects that it was given"
	case (failed == nil) != (err == nil):
		return "one answer is an error and the other is not"
	case (first == nil) != (second == nil):
		return "one answer is nil and the other is not"
	case first == nil:
		return ""
	}
	return differ(first.Original, second.Original)
}
