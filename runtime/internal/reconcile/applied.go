package reconcile

import (
	"context"
	"errors"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// recordApplied calls the functions that the author gave for children which are applied, and
// returns the response as they have changed it. If one of them fails, the author's part of the
// status stays as it is: the response returned has none.
func (r *run) recordApplied(ctx context.Context, response *declared.Response, children []child) (*declared.Response, error) {
	var functions []func(original any) error
	for _, child := range children {
		functions = append(functions, child.whenApplied...)
	}
	if len(functions) == 0 {
		return response, nil
	}
	const name = "the function of WhenApplied"
	changed, err := callWithTimeout(ctx, r, name, func(context.Context) (*declared.Response, error) {
		var failed []error
		for _, function := range functions {
			failed = append(failed, function(response.Original))
		}
		return response.ConvertAgain(), errors.Join(failed...)
	})
	if err == nil {
		err = r.checkParentPart(name, changed, nil)
	}
	if err != nil {
		return new(declared.Response), err
	}
	return changed, nil
}
