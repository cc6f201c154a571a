package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// changeDesired returns the first change of a desired state by a mutation that the API server
// accepts, for a new child and, unless the operator recreates it, for the existing one.
func (w writer) changeDesired(ctx context.Context, m alteration, desired map[string]any, child *unstructured.Unstructured, recreates bool) (changed map[string]any, err error) {
	var refused error
	for _, edit := range m.edits {
		changed := deepCopy(desired).(map[string]any)
		if !edit(changed) || reflect.DeepEqual(changed, desired) {
			continue
		}
		if _, err := w.dryRunCreate(ctx, changed); err != nil {
			if !isRefusal(err) {
				return nil, err
			}
			refused = err
			continue
		}
		if err := w.checkChangeable(ctx, edit, child); err != nil && (!recreates || !errors.As(err, new(errImmutable))) {
			return nil, err
		}
		return changed, nil
	}
	return nil, errUseless{refused}
}

// errImmutable says that no update of a child can make a change.
type errImmutable struct{ error }

// checkChangeable returns an error if the API server does not accept an edit of a child.
func (w writer) checkChangeable(ctx context.Context, edit func(map[string]any) bool, child *unstructured.Unstructured) error {
	edited := child.DeepCopy()
	if !edit(edited.Object) {
		return nil // the API server has altered the desired state
	}
	edited.SetResourceVersion("")
	for {
		err := w.client.Update(ctx, edited, client.DryRunAll, client.FieldOwner(w.manager))
		if err == nil {
			return nil
		}
		if isRefusal(err) && edited.GetResourceVersion() != "" {
			return errImmutable{err}
		}
		current := child.DeepCopy()
		if err := w.client.Get(ctx, client.ObjectKeyFromObject(child), current); err != nil {
			return err
		}
		edited.SetResourceVersion(current.GetResourceVersion())
	}
}

// dryRunCreate returns a child as the API server would create it.
func (w writer) dryRunCreate(ctx context.Context, desired map[string]any) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: deepCopy(desired).(map[string]any)}
	object.SetName(object.GetName() + "-fresh")
	return object, w.client.Create(ctx, object, client.DryRunAll)
}

// findAuthorProblems returns how a child differs from a new one with the present desired state.
// Fields that differed before the author's change, too, are not desired: an allocated address, a
// generated label.
func (w writer) findAuthorProblems(ctx context.Context, e evidence) ([]string, error) {
	if e.after == nil {
		return []string{"the child is gone"}, nil
	}
	now, err := w.differences(ctx, e, e.desired, e.after)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	earlier, err := w.differences(ctx, e, e.earlier, e.before)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, d := range now {
		if slices.ContainsFunc(earlier, func(before diff.Difference) bool { return isWithin(d.Path, before.Path) }) {
			continue
		}
		if e.after.GetKind() == "Secret" {
			d.Expected, d.Got = "(a value)", "(another)"
		}
		found = append(found, fmt.Sprintf("%s is %s, want %s", d.Path, shownSide(d.Got), shownSide(d.Expected)))
	}
	return found, nil
}

// isWithin reports whether a path equals another one or lies below it.
func isWithin(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func shownSide(value any) string {
	if value == diff.Absent {
		return "absent"
	}
	return diff.Show(value)
}

// differences compares a child with a new one, without fields that others own and without the
// metadata that makes it the parent's.
func (w writer) differences(ctx context.Context, e evidence, desired map[string]any, child *unstructured.Unstructured) ([]diff.Difference, error) {
	made, err := w.dryRunCreate(ctx, e.withMetadata(desired))
	if err != nil {
		return nil, err
	}
	expected, got := contentOf(made), contentOf(child)
	dropOthers(child, e.manager, expected, got)
	for _, content := range []map[string]any{expected, got} {
		withoutRandomNames(content)
		if child.GetKind() == "Service" {
			withoutAllocations(content, desired)
		}
		metadata := content["metadata"].(map[string]any)
		delete(metadata, "ownerReferences")
		delete(metadata, "finalizers")
		for _, field := range []string{"labels", "annotations"} {
			e.dropOwnKeys(metadata, field)
		}
	}
	return diff.JSON(expected, got), nil
}

// withMetadata returns the desired state with the labels that the runtime adds. The API server
// gives some objects without labels the labels of others.
func (e evidence) withMetadata(desired map[string]any) map[string]any {
	content := deepCopy(desired).(map[string]any)
	metadata := content["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
		metadata["labels"] = labels
	}
	for _, key := range ownKeys(e.before, e.earlier, e.manager, "labels") {
		labels[key] = e.before.GetLabels()[key]
	}
	return content
}

// dropOwnKeys removes the labels or annotations of the runtime and of the writers of this package.
func (e evidence) dropOwnKeys(metadata map[string]any, field string) {
	own := ownKeys(e.before, e.earlier, e.manager, field)
	texts, _ := metadata[field].(map[string]any)
	if texts == nil {
		texts = map[string]any{}
		metadata[field] = texts
	}
	maps.DeleteFunc(texts, func(key string, _ any) bool { return isForeignKey(key) || slices.Contains(own, key) })
}
