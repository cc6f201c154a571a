package apply

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrImmutable says that a child cannot take a change, which a new child could.
type ErrImmutable struct {
	Fields []string // as the API server names them
	Reason string   // why it refuses, in its own words
	err    error
}

func newErrImmutable(refusal error, fields []refusedField) ErrImmutable {
	immutable := ErrImmutable{err: refusal}
	var reasons []string
	for _, field := range fields {
		if !slices.Contains(immutable.Fields, field.name) {
			immutable.Fields = append(immutable.Fields, field.name)
		}
		if !slices.Contains(reasons, field.message) {
			reasons = append(reasons, field.message)
		}
	}
	immutable.Reason = strings.Join(reasons, "; ")
	return immutable
}

func (e ErrImmutable) Error() string {
	return strings.Join(e.Fields, ", ") + " cannot be changed in place; whenImmutable: Recreate would replace the child: " + e.Reason
}

// Unwrap returns the API server's own error.
func (e ErrImmutable) Unwrap() error { return e.err }

// refused decides about an update that the API server calls invalid: the child is
// recreated if it met an immutable field and the child's policy allows that. The API
// server calls the UID invalid if the child is another of its name by now, and the
// owner references if another parent has taken the child.
func (a *Applier) refused(ctx context.Context, d Desired, live client.Object, refusal error) (Outcome, error) {
	fields := refusedFields(refusal)
	named := func(name string) bool {
		return slices.ContainsFunc(fields, func(field refusedField) bool { return field.name == name })
	}
	immutable := slices.DeleteFunc(slices.Clone(fields), func(field refusedField) bool { return field.duplicate })
	switch {
	case named("metadata.uid"):
		return Outcome{}, errConflict{ErrStale{d.Key()}, refusal}
	case len(immutable) == 0 || !a.creatable(ctx, d): // by a policy, or wrong in itself
		return Outcome{}, refusal
	case named("metadata.ownerReferences"):
		return Outcome{}, errConflict{ErrStale{d.Key()}, refusal}
	case d.WhenImmutable == RecreateIfImmutable:
		return Outcome{Action: Replace, Object: live}, nil
	}
	return Outcome{}, newErrImmutable(refusal, immutable)
}

// creatable reports whether the API server would take the desired state for a new
// object. If so, an update that validation refuses met an immutable field.
func (a *Applier) creatable(ctx context.Context, d Desired) bool {
	probe, metadata := d.cloned()
	d.Name.Name = strings.TrimRight(d.Name.Name[:min(len(d.Name.Name), 50)], ".-") + "-dry-run"
	metadata["name"] = d.Name.Name
	d.content = func() map[string]any { return probe }
	_, err := a.patch(ctx, d, "resourceVersion", "1", client.DryRunAll)
	return err == nil || apierrors.IsConflict(err) || isForTheProbe(err)
}

// isForTheProbe reports whether a new object was refused for what it does not have in
// common with the child: its name, which some kinds validate, or that the child
// exists beside it, which has the node port or uses up the quota.
func isForTheProbe(refusal error) bool {
	if apierrors.IsForbidden(refusal) {
		return strings.Contains(refusal.Error(), "exceeded quota")
	}
	fields := refusedFields(refusal)
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(field refusedField) bool {
		return field.name != "metadata.name" && !strings.Contains(field.message, "already allocated")
	})
}
