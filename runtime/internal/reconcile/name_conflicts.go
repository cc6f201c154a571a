package reconcile

import (
	"context"
	"errors"
	"maps"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Sync may ask for name conflicts: whether an object has a name that is not the parent's. No cache shows
// such objects, so that each name costs a live read in each reconcile in which Sync asks. Sync is told
// what was true in the reconcile before. If something else is true, it is called once more before
// anything of its answer is carried out.

// nameConflicts says of the names that Sync has asked for whether somebody else's object has them.
type nameConflicts map[apply.Key]bool

// ofKind returns the names of a kind that somebody else's objects have.
func (c nameConflicts) ofKind(kind *childKind) map[types.NamespacedName]bool {
	var names map[types.NamespacedName]bool
	for key, isConflict := range c {
		if !isConflict || key.Kind != kind.GroupVersionKind {
			continue
		}
		if names == nil {
			names = map[types.NamespacedName]bool{}
		}
		names[key.Name] = true
	}
	return names
}

// askedNames are the names that a call of the author's code asks for, which may run on when it is
// abandoned.
type askedNames struct {
	mu    sync.Mutex
	names map[apply.Key]*childKind
}

// add adds a name of a kind.
func (a *askedNames) add(kind *childKind, name types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.names == nil {
		a.names = map[apply.Key]*childKind{}
	}
	a.names[apply.Key{Kind: kind.GroupVersionKind, Name: name}] = kind
}

// list returns the names.
func (a *askedNames) list() map[apply.Key]*childKind {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.names)
}

// mostCalls is how often Sync is called in one reconcile while it asks for other names each time.
const mostCalls = 5

// callKnowingConflicts calls the author's code, and again while it was told otherwise than is true of
// the names that it asks for.
func (r *run) callKnowingConflicts(ctx context.Context, observed *observed) (*declared.Response, error) {
	response, err := r.calls.callAuthor(ctx, observed)
	for range mostCalls - 1 {
		isToldOtherwise, failed := r.lookUpNames(ctx, observed)
		if failed != nil {
			return nil, failed
		}
		if !isToldOtherwise || ctx.Err() != nil || wasCutShort(err) {
			break
		}
		response, err = r.calls.callAuthor(ctx, observed)
	}
	return response, err
}

// wasCutShort reports whether a call of the author's code ended, or still runs, because it took too long.
func wasCutShort(err error) bool {
	return errors.As(err, new(errTimeout)) || errors.As(err, new(errPutOff))
}

// lookUpNames looks up the names that the author's code has asked for in this reconcile. It reports
// whether the last call was told otherwise.
func (r *run) lookUpNames(ctx context.Context, observed *observed) (isToldOtherwise bool, err error) {
	asked := r.calls.asked.list()
	if len(asked) == 0 {
		r.calls.lookedUp, r.state.conflicts = nil, nil
		return false, nil
	}
	known := nameConflicts{}
	for key, kind := range asked {
		isConflict, wasLookedUp := r.calls.lookedUp[key]
		if !wasLookedUp {
			if isConflict, err = r.hasConflict(ctx, observed, kind, key); err != nil {
				return false, err
			}
		}
		known[key] = isConflict
		isToldOtherwise = isToldOtherwise || isConflict != r.state.conflicts[key]
	}
	r.calls.lookedUp, r.state.conflicts = known, known
	return isToldOtherwise, nil
}

// hasConflict reports whether an object has a name that is not the parent's child.
func (r *run) hasConflict(ctx context.Context, observed *observed, kind *childKind, key apply.Key) (bool, error) {
	if _, isChild := byName(observed.ofKind(kind))[key.Name]; isChild {
		return false, nil
	}
	if err := r.loop.checkNamespace(r.parent.GetNamespace(), kind, key); err != nil {
		return false, errInvalid{err}
	}
	current := new(metav1.PartialObjectMetadata)
	current.SetGroupVersionKind(kind.GroupVersionKind)
	err := r.loop.liveReader.Get(ctx, key.Name, current)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, errChild{key: key, err: err}
	}
	uid, _ := r.loop.childCache.parentUID(current)
	return uid != r.parent.GetUID() && !r.hasLostMarks(current, false), nil
}
