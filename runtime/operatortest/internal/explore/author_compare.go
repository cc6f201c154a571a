package explore

import (
	"context"
	"errors"
	"reflect"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// changeDesired returns the first change of a desired state by a mutation that the API server
// accepts, for a new child and, unless the operator recreates it, for the existing one.
func (w writer) changeDesired(ctx context.Context, m alteration, desired map[string]any, child *unstructured.Unstructured, recreates bool) (changed map[string]any, err error) {
	var refused error
	for _, edit := range m.edits {
		changed := runtime.DeepCopyJSON(desired)
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
		if err := w.checkGrantable(ctx, changed); err != nil {
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

// notHeld is what the API server says to a client that grants a permission which it has not.
const notHeld = "is attempting to grant RBAC permissions not currently held"

// checkGrantable returns an error if the API server refuses a role to the operator, because it grants what
// the operator may not do itself. An invented rule is not what an author would desire. Other refusals are
// the operator's to report.
func (w writer) checkGrantable(ctx context.Context, desired map[string]any) error {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(desired)}
	if w.asOperator == nil || object.GroupVersionKind().Group != rbacv1.GroupName {
		return nil
	}
	object.SetName(object.GetName() + "-fresh")
	err := w.asOperator.Create(ctx, object, client.DryRunAll)
	if err != nil && strings.Contains(err.Error(), notHeld) {
		return err
	}
	return nil
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
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(desired)}
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
	problems := fieldProblems{secret: isSecret(e.after)}
	if err := e.compareHandedOver(&problems); err != nil {
		return nil, err
	}
	now, err := w.compareWithNew(ctx, e, e.desired, e.after)
	if err != nil || now.fields.Empty() {
		return problems.found, err
	}
	earlier, err := w.compareWithNew(ctx, e, e.earlier, e.before)
	if err != nil {
		return nil, err
	}
	different := now.fields.RecursiveDifference(earlier.fields)
	problems.add(different.Difference(schemas.Below(different, e.keptPaths())), now.made, now.child)
	return problems.found, nil
}

// keptPaths returns the paths of what the child keeps: a field that is handed over, or the object
// around it where that is not desired either.
func (e evidence) keptPaths() (kept []fieldpath.Path) {
	for _, path := range e.handOver {
		n := 1
		for n < len(path) && isSet(schemas.Path(path[:n]).Value(e.desired)) {
			n++
		}
		kept = append(kept, path[:n])
	}
	return kept
}

// isSet reports whether a value is more than an object without fields.
func isSet(value any) bool {
	fields, ok := value.(map[string]any)
	return value != diff.Absent && (!ok || len(fields) > 0)
}

// compareHandedOver adds fields that the author hands over and that have not kept their values.
func (e evidence) compareHandedOver(problems *fieldProblems) error {
	if len(e.handOver) == 0 || e.before.GetUID() != e.after.GetUID() {
		return nil
	}
	before, after := contentOf(e.before), contentOf(e.after)
	compared, err := e.kind.Compare(before, after)
	if err != nil {
		return err
	}
	desired, err := e.kind.Fields(e.desired)
	if err != nil {
		return err
	}
	changed := e.withoutOthers(schemas.Below(differentFields(compared), e.handOver))
	problems.add(changed.Difference(desired), before, after)
	return nil
}

// newComparison has the fields in which a child differs from a new one.
type newComparison struct {
	fields      *fieldpath.Set
	made, child map[string]any // without what may differ
}

// compareWithNew compares a child with a new one, without fields that others own and without the
// metadata that makes it the parent's.
func (w writer) compareWithNew(ctx context.Context, e evidence, desired map[string]any, child *unstructured.Unstructured) (newComparison, error) {
	made, err := w.dryRunCreate(ctx, e.withMetadata(desired))
	if err != nil {
		return newComparison{}, err
	}
	c := newComparison{new(fieldpath.Set), contentOf(made), contentOf(child)}
	for _, content := range []map[string]any{c.made, c.child} {
		withoutRandomNames(content)
		if child.GetKind() == "Service" {
			withoutAllocations(content, desired)
			withoutKept(content, desired, contentOf(e.before))
		}
		e.dropOwnMetadata(content, isForeignKey)
	}
	compared, err := e.kind.Compare(c.made, c.child)
	if err != nil {
		return newComparison{}, err
	}
	different := withoutOthers(differentFields(compared).Union(compared.Added), child, e.manager)
	for path := range different.All() {
		if at := schemas.Path(path); !diff.EqualValues(at.String(), at.Value(c.made), at.Value(c.child)) {
			c.fields.Insert(path.Copy())
		}
	}
	return c, nil
}

// withMetadata returns the desired state with the labels that the runtime adds. The API server
// gives some objects without labels the labels of others.
func (e evidence) withMetadata(desired map[string]any) map[string]any {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(desired)}
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	for _, key := range e.ownKeys("labels") {
		labels[key] = e.before.GetLabels()[key]
	}
	object.SetLabels(labels)
	return object.Object
}
