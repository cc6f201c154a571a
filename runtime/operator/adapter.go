package operator

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// The type parameters of a [Definition] end in this file. Package reconcile works on
// client.Object, and calls the author's code by functions that convert.

// NewController makes a controller from its definition.
func NewController[P client.Object, S, C, D, R any](definition Definition[P, S, C, D, R]) Controller {
	kinds := func(observed, desired any) []ChildKind { return definition.childKinds(observed.(*C), desired.(*D)) }
	return process.NewController(definition.Name, definition.Project, kinds, func(mgr Manager, environment *process.Environment) error {
		return reconcile.SetUp(mgr, environment, convertDefinition(definition))
	})
}

func convertDefinition[P client.Object, S, C, D, R any](d Definition[P, S, C, D, R]) reconcile.Definition {
	converted := reconcile.Definition{
		Name: d.Name, Group: d.Group, Schemes: d.Schemes,
		Parents: d.Parents, Children: d.childKinds(new(C), new(D)), Related: d.relatedKinds(new(R)), IsOrdered: d.Teardown == TeardownOrdered,
		ParentMetadata: d.ParentMetadata, Retries: d.Retries, Timeout: d.Timeout,
		Workers: d.Workers, Metrics: d.Metrics,
		ForbidPause: d.ForbidPause, ForbidDisconnect: d.ForbidDisconnect, TakeOverFrom: d.TakeOverFrom,
		Status: newStatusAccess(d), Author: declared.Author{Sync: prepareCalls(d, d.Sync)},
	}
	if d.Finalize != nil {
		converted.Author.Finalize = prepareCalls(d, d.Finalize)
	}
	if d.Select != nil {
		converted.Author.Select = func(ctx context.Context, parent client.Object) ([][]Selection, error) {
			return d.Select(ctx, parent.(P))
		}
	}
	return converted
}

// childKinds returns the kinds of children, bound to a snapshot and a desired state.
func (d *Definition[P, S, C, D, R]) childKinds(observed *C, desired *D) []ChildKind {
	if d.Kinds == nil {
		return nil
	}
	return d.Kinds(observed, desired)
}

// relatedKinds returns the entries of related objects, bound to a struct that holds them.
func (d *Definition[P, S, C, D, R]) relatedKinds(related *R) []RelatedKind {
	if d.Related == nil {
		return nil
	}
	return d.Related(related)
}

// newStatusAccess returns what reaches into the statuses of the parents; nil where the runtime
// writes none.
func newStatusAccess[P client.Object, S, C, D, R any](d Definition[P, S, C, D, R]) *status.Access {
	if d.Status == nil {
		return nil
	}
	access := &status.Access{
		Of:   func(parent client.Object) any { return d.Status(parent.(P)) },
		Copy: func(of any) any { copied := *of.(*S); return &copied },
	}
	if d.Conditions != nil {
		access.Conditions = func(of any) *[]metav1.Condition { return d.Conditions(of.(*S)) }
	}
	if d.ObservedGeneration != nil {
		access.ObservedGeneration = func(of any) *int64 { return d.ObservedGeneration(of.(*S)) }
	}
	return access
}

// prepareCalls returns a function that binds a request to a call of the author's function.
func prepareCalls[P client.Object, S, C, D, R any](d Definition[P, S, C, D, R], function func(context.Context, *Request[P, C, R]) (*Response[D, S], error)) func(declared.Request) declared.Call {
	return func(request declared.Request) declared.Call {
		bound := &Request[P, C, R]{Parent: request.Parent.(P), Now: request.Now, Observing: request.IsObserving}
		for i, kind := range d.childKinds(&bound.Children, new(D)) {
			if !kind.PruneOnly {
				kind.Fields.Observe(request.Children[i])
				kind.Fields.ObserveRefused(request.Refused[i])
			}
		}
		for i, kind := range d.relatedKinds(&bound.Related) {
			kind.Fields.Observe(request.Related[i])
		}
		return func(ctx context.Context) (*declared.Response, error) {
			response, err := function(ctx, bound)
			return convertResponse(d, response), err
		}
	}
}

func convertResponse[P client.Object, S, C, D, R any](d Definition[P, S, C, D, R], response *Response[D, S]) *declared.Response {
	if response == nil {
		return nil
	}
	converted := convertParentPart(response)
	if response.Children == nil {
		return converted
	}
	converted.KeepAll = response.KeepAll
	if d.Patches != nil {
		for _, set := range d.Patches(response.Children) {
			converted.Patches = append(converted.Patches, *set)
		}
	}
	kinds := d.childKinds(new(C), response.Children)
	converted.Children = make([]declared.DesiredSet, len(kinds))
	for i, kind := range kinds {
		if !kind.PruneOnly {
			converted.Children[i] = *kind.Fields.Desired
		}
	}
	return converted
}

// convertParentPart converts what a response says of the parent, without the children.
func convertParentPart[D, S any](response *Response[D, S]) *declared.Response {
	converted := &declared.Response{
		Events: response.Events, Conditions: response.Conditions, Labels: response.Labels, Annotations: response.Annotations,
		Delete: response.Delete, RequeueAfter: response.RequeueAfter, Finalized: response.Finalized, Original: response,
		ConvertAgain: func() *declared.Response { return convertParentPart(response) },
	}
	if response.Status != nil {
		converted.Status = response.Status
	}
	return converted
}
