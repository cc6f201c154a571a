package status

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// Writer writes the statuses of one kind of parents.
type Writer struct {
	Access     *Access // nil: nothing is written
	Client     client.Client
	LiveReader client.Reader
	New        func() client.Object // returns an empty parent
	Manager    string               // the field manager of the writes
}

// Change is what a reconcile makes of a parent's status.
type Change struct {
	Parent     client.Object
	Conditions []metav1.Condition // the runtime's
	Failed     bool               // the reconcile failed
	Author     Author
	Now        time.Time
	// IsBehind says that the parent is of a cache that is known to be behind: the write starts from a live read.
	// It is for a change without an author's part.
	IsBehind bool
}

// Author is the part of a status that the author returned. Without Status and Conditions
// the author's part stays as it is.
type Author struct {
	Status     any // a pointer to a status, or nil
	Conditions []metav1.Condition
	Hash       func() string // returns a hash of what the author desires of the parent
}

func (a Author) isEmpty() bool { return a.Status == nil && a.Conditions == nil }

// Result is what came of a write.
type Result struct {
	Answer   client.Object     // the parent as the API server answered; nil: nothing was written
	Fields   []string          // the paths of the fields that were written
	Conflict *backoff.Conflict // why the repair of some parts is put off; nil when none is
	Dropped  []string          // the fields that the API server drops, since its CRD does not know them
	Retry    time.Time         // when these are written again
}

// ErrStale says that the parent has changed meanwhile, and nothing was written. It holds the API
// server's conflict.
type ErrStale struct{ error }

func (e ErrStale) Unwrap() error { return e.error }

// Write writes what changes in the parent's status: the author's part if there is one, and
// the runtime's conditions and observedGeneration in any case. It returns an error if the
// API server refuses the write. An author's part that was refused is not sent again before
// its backoff ends; the error is the earlier one then.
//
// If the parent is out of date, the author's part has to be computed again, and Write returns ErrStale. What the
// runtime says needs no newer cache: it is written once more, from a live read.
func (w *Writer) Write(ctx context.Context, memory *Memory, change Change) (Result, error) {
	if w.Access == nil {
		return Result{}, nil
	}
	hasAuthor, refused, parent := !change.Author.isEmpty(), memory.refused, change.Parent
	if hasAuthor && refused != nil {
		if err := refused.Replay(change.Now, change.Author.Hash(), parent.GetUID()); err != nil {
			return Result{}, err
		}
	}
	result, err := Result{}, error(ErrStale{})
	if !change.IsBehind {
		result, err = w.writeOnto(ctx, memory, change, parent, parent.GetGeneration())
	}
	if !hasAuthor && errors.As(err, new(ErrStale)) {
		return w.writeLive(ctx, memory, change)
	}
	switch {
	case !hasAuthor || errors.As(err, new(ErrStale)):
		return result, err
	case err == nil:
		memory.refused = nil
		return result, nil
	case refused == nil:
		refused = new(backoff.Budget)
		memory.refused = refused
	}
	return result, refused.Fail(change.Now, change.Author.Hash(), parent.GetUID(), err)
}

// writeOnto writes a change of the status of a parent, by the difference from a version of that. The status then
// says that a generation was observed.
func (w *Writer) writeOnto(ctx context.Context, memory *Memory, change Change, parent client.Object, generation int64) (Result, error) {
	before := w.Access.Of(parent)
	after := w.Access.Copy(before)
	if change.Author.Status != nil {
		after = w.Access.Copy(change.Author.Status)
	}
	if observed := w.Access.ObservedGeneration; observed != nil {
		*observed(after) = generation
	}
	if of := w.Access.Conditions; of != nil {
		*of(after) = MergeConditions(Merge{
			Existing: *of(before), Runtime: change.Conditions, Author: change.Author.Conditions,
			IsOurs: func(conditionType string) bool { return managedfields.OwnsCondition(parent, w.Manager, conditionType) },
			Failed: change.Failed, Generation: generation, Now: change.Now,
		})
	}
	return w.patchDifference(ctx, memory, parent, before, after, change.Now)
}

// WriteCondition sets one condition of a parent's status, unless the status has it with the
// same reason. Other parts of the status stay.
func (w *Writer) WriteCondition(ctx context.Context, memory *Memory, parent client.Object, condition metav1.Condition, now time.Time) (Result, error) {
	if !w.Access.HasConditions() {
		return Result{}, nil
	}
	if existing := w.Access.FindCondition(parent, condition.Type); existing != nil && existing.Reason == condition.Reason {
		return Result{}, nil
	}
	result, err := w.writeCondition(ctx, memory, parent, condition, now)
	if !errors.As(err, new(ErrStale)) {
		return result, err
	}
	live, err := w.readLive(ctx, parent)
	if live == nil || err != nil {
		return Result{}, err
	}
	return w.writeCondition(ctx, memory, live, condition, now)
}

// writeCondition sets one condition by the difference from a version of the parent.
func (w *Writer) writeCondition(ctx context.Context, memory *Memory, parent client.Object, condition metav1.Condition, now time.Time) (Result, error) {
	before := w.Access.Of(parent)
	after := w.Access.Copy(before)
	conditions := append([]metav1.Condition(nil), *w.Access.Conditions(before)...)
	condition.ObservedGeneration, condition.LastTransitionTime = parent.GetGeneration(), metav1.NewTime(now)
	meta.SetStatusCondition(&conditions, condition)
	*w.Access.Conditions(after) = conditions
	return w.patchDifference(ctx, memory, parent, before, after, now)
}

// patchDifference writes the difference between two statuses, if there is any.
func (w *Writer) patchDifference(ctx context.Context, memory *Memory, parent client.Object, before, after any, now time.Time) (result Result, err error) {
	if reflect.DeepEqual(before, after) && memory.conflict == nil {
		return Result{}, nil
	}
	difference, err := compareStatuses(before, after)
	if err != nil {
		return Result{}, err
	}
	drifted := memory.findDrift(difference)
	if result.Conflict, err = w.delayRepair(ctx, memory, parent, difference, drifted, now); err != nil {
		return result, fmt.Errorf("read the parent, whose status somebody keeps changing: %w", err)
	}
	skip := drifted
	if result.Conflict == nil {
		skip = nil
	}
	changes := difference.changes(skip)
	if len(changes.steps) == 0 {
		memory.recordStatus(difference, difference.after, drifted)
		memory.endConflict(drifted, now)
		return result, nil
	}
	if memory.noOp.isSame(before, changes, now) {
		result.Dropped, result.Retry = memory.noOp.dropped, memory.noOp.until
		return result, nil
	}
	if err := w.sendPatch(ctx, parent, changes, &result); err != nil || result.Answer == nil {
		return result, err
	}
	fields, err := parseFields(w.Access.Of(result.Answer))
	if err != nil {
		return result, err
	}
	memory.noOp = noOpPatch{}
	if result.Answer.GetResourceVersion() == parent.GetResourceVersion() {
		result.Dropped, result.Retry = difference.droppedBy(fields), now.Add(backoff.Altered)
		memory.noOp = noOpPatch{before, changes, result.Dropped, result.Retry}
	}
	if len(drifted) > 0 && result.Conflict == nil {
		memory.countRepair(now)
	}
	memory.recordStatus(difference, fields, drifted)
	memory.endConflict(drifted, now)
	return result, nil
}

// sendPatch sends the changes to the API server, and sets the answer.
func (w *Writer) sendPatch(ctx context.Context, parent client.Object, changes changes, result *Result) error {
	patch, err := changes.patch(parent)
	if err != nil {
		return err
	}
	answer := w.New()
	answer.SetName(parent.GetName())
	answer.SetNamespace(parent.GetNamespace())
	err = w.Client.Status().Patch(ctx, answer, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(w.Manager))
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case jsonpatch.DoesNotFit(err), apierrors.IsConflict(err), isDuplicateCondition(err):
		return ErrStale{err}
	case err != nil:
		return err
	}
	result.Answer, result.Fields = answer, changes.paths()
	return nil
}

// isDuplicateCondition reports whether the API server refused a status with two conditions of one type. The runtime
// adds a condition only if the parent that it has seen lacks it, so that it has not seen the latest.
func isDuplicateCondition(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		return false
	}
	return slices.ContainsFunc(status.ErrStatus.Details.Causes, func(cause metav1.StatusCause) bool {
		return cause.Type == metav1.CauseTypeFieldValueDuplicate && strings.HasPrefix(cause.Field, "status.conditions[")
	})
}

// delayRepair returns why the repair of parts that somebody else has changed is put off; nil
// if it is due.
func (w *Writer) delayRepair(ctx context.Context, memory *Memory, parent client.Object, difference difference, drifted map[part]bool, now time.Time) (*backoff.Conflict, error) {
	if len(drifted) == 0 || memory.conflict == nil {
		return nil, nil
	}
	return memory.conflict.Delay(now, ExplainConflict(ctx, w.LiveReader, w.New(), parent, func(current client.Object) (string, []string) {
		return apply.OtherStatusManager(current, w.Manager, difference.selectParts(drifted))
	}))
}

// ExplainConflict returns a function that reads a parent live into an empty object, and
// names the other field manager and what that has changed, as find returns them.
func ExplainConflict(ctx context.Context, liveReader client.Reader, empty, parent client.Object, find func(current client.Object) (manager string, paths []string)) func() (backoff.Conflict, error) {
	return func() (backoff.Conflict, error) {
		err := liveReader.Get(ctx, client.ObjectKeyFromObject(parent), empty)
		if err != nil {
			return backoff.Conflict{}, client.IgnoreNotFound(err)
		}
		manager, paths := find(empty)
		return backoff.Conflict{Manager: manager, Paths: paths}, nil
	}
}

// noOpPatch is a patch that the API server accepted and that changed nothing: the CRD does
// not know a field, or has a default for one that is to be removed. It is sent again after a while, since
// there may be another CRD by then.
type noOpPatch struct {
	before  any // the status
	changes changes
	dropped []string // the fields that the CRD does not know
	until   time.Time
}

func (n noOpPatch) isSame(before any, changes changes, now time.Time) bool {
	return now.Before(n.until) && reflect.DeepEqual(n.changes, changes) && reflect.DeepEqual(n.before, before)
}

// droppedBy returns the paths of the fields that were to be set, and that an answer has not, or not as a whole.
func (d difference) droppedBy(answer map[string]json.RawMessage) (paths []string) {
	for _, name := range slices.Sorted(maps.Keys(d.after)) {
		if !bytes.Equal(d.before[name], d.after[name]) && bytes.Equal(d.before[name], answer[name]) {
			paths = append(paths, "status."+name)
		}
	}
	return paths
}
