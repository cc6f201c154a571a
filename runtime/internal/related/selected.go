package related

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// maxNames is how many names of a kind have a watch each. For more of them one watch of the kind's
// metadata costs less.
const maxNames = 50

// Selected retains those objects of a kind that parents select while the operator runs, and no others.
// It is safe for concurrent use.
//
// It reads an object live when a parent names it first, and then opens a watch of that name, which
// all parents share. The watch is closed when no parent names the object any more. Once there are
// more than maxNames names, or a parent selects by labels or in all namespaces, one watch of the
// kind's metadata takes the place of these watches, until the process ends. It shows which objects
// there are, and in which version; each version that a parent needs is read live once.
//
// A start with many parents names many objects at once. So watches of names are opened only when no
// new name has come for a while: until then it is open whether the names will be too many.
type Selected struct {
	watches *Watches
	kind    schema.GroupVersionKind
	empty   client.Object
	live    client.Reader
	trim    func(any) (any, error)

	mu       sync.Mutex
	handlers map[*Index]func(parent types.NamespacedName)
	waiting  map[reader]bool // whose read needs a watch that is not open
	retained map[reader][]types.NamespacedName
	objects  map[types.NamespacedName]*selectedObject // that are retained
	metadata *watch                                   // of the whole kind; nil until it is needed
	settled  *time.Timer                              // opens the watches of names
	newSince time.Time                                // when the first name came that waits for that; zero: none does
}

// reader is a parent that reads objects for an entry, which its index stands for.
type reader struct {
	entry  *Index
	parent types.NamespacedName
}

// ErrFilling is the error of a read that has to be repeated, since the watch that it needs is being
// opened.
var ErrFilling = errors.New("the watch of related objects is being opened")

// ErrUnwatched is the error of a read that needs a watch which cannot be opened.
type ErrUnwatched struct {
	kind schema.GroupVersionKind
	err  error
}

func (e ErrUnwatched) Unwrap() error { return e.err }

func (e ErrUnwatched) Error() string {
	return fmt.Sprintf("related objects of kind %s cannot be watched: %v", e.kind.Kind, e.err)
}

// Selected returns the objects of a kind that are selected while the operator runs. All who select
// from a kind share them. empty is an empty object of the kind.
func (w *Watches) Selected(kind schema.GroupVersionKind, empty client.Object, live client.Reader) *Selected {
	w.mu.Lock()
	defer w.mu.Unlock()
	part := Part{Kind: kind, GoType: GoTypeOf(empty)}
	if w.selected[part] == nil {
		w.selected[part] = &Selected{
			watches: w, kind: kind, empty: empty, live: live, trim: w.caches.Trim,
			handlers: map[*Index]func(types.NamespacedName){}, waiting: map[reader]bool{},
			retained: map[reader][]types.NamespacedName{}, objects: map[types.NamespacedName]*selectedObject{},
		}
	}
	return w.selected[part]
}

// Handle has a function called with the parents of an entry of which an object has changed, or whose
// read has to be repeated.
func (s *Selected) Handle(entry *Index, handle func(parent types.NamespacedName)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[entry] = handle
}

// handle has the parents reconciled that read an object.
func (s *Selected) handle(object client.Object) {
	s.mu.Lock()
	handlers := maps.Clone(s.handlers)
	s.mu.Unlock()
	for entry, handle := range handlers {
		for _, parent := range entry.Readers(object) {
			handle(parent)
		}
	}
}

// handleWaiting has the parents reconciled whose read needs a watch, since it is open now or cannot be
// opened.
func (s *Selected) handleWaiting() {
	s.mu.Lock()
	waiting, handlers := s.waiting, maps.Clone(s.handlers)
	s.waiting = map[reader]bool{}
	s.mu.Unlock()
	for by := range waiting {
		handlers[by.entry](by.parent)
	}
}

// Read returns the objects that the queries of a parent select, and retains them for it until its next
// call. Objects that do not exist are left out. It returns ErrFilling if the answer is not known
// yet.
func (s *Selected) Read(ctx context.Context, entry *Index, parent types.NamespacedName, queries []Query) ([]client.Object, error) {
	by := reader{entry, parent}
	s.setWaiting(by, true) // before a watch is looked at, which may be opened after that
	found, err := s.read(ctx, by, queries)
	if !errors.Is(err, ErrFilling) && !errors.As(err, new(ErrUnwatched)) {
		s.setWaiting(by, false)
	}
	return found, err
}

// setWaiting sets whether a parent's read needs a watch that is not open.
func (s *Selected) setWaiting(by reader, isWaiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[by] = isWaiting; !isWaiting {
		delete(s.waiting, by)
	}
}

func (s *Selected) read(ctx context.Context, by reader, queries []Query) ([]client.Object, error) {
	names, err := s.resolve(ctx, queries)
	if err != nil {
		return nil, err
	}
	s.retain(by, names)
	var found []client.Object
	for _, name := range names {
		object, err := s.get(ctx, name)
		if err != nil {
			return nil, err
		}
		if object != nil && slices.ContainsFunc(queries, func(q Query) bool { return q.Selects(object) }) {
			found = append(found, object)
		}
	}
	return found, nil
}

// Release drops what is retained for a parent.
func (s *Selected) Release(entry *Index, parent types.NamespacedName) {
	s.retain(reader{entry, parent}, nil)
	s.setWaiting(reader{entry, parent}, false)
}

// resolve returns the names of the objects that queries select, each once.
func (s *Selected) resolve(ctx context.Context, queries []Query) ([]types.NamespacedName, error) {
	var names []types.NamespacedName
	seen := map[types.NamespacedName]bool{}
	add := func(name types.NamespacedName) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, query := range queries {
		for _, namespace := range query.Namespaces {
			if namespace != AllNamespaces && query.selector() == nil {
				for _, name := range query.Names {
					add(types.NamespacedName{Namespace: namespace, Name: name})
				}
				continue
			}
			listed, err := s.listMetadata(ctx, namespace, query)
			if err != nil {
				return nil, err
			}
			for _, name := range listed {
				add(name)
			}
		}
	}
	return names, nil
}

// retain replaces the objects that are retained for a parent.
func (s *Selected) retain(by reader, names []types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.retained[by]
	if slices.Equal(before, names) {
		return
	}
	if s.retained[by] = names; len(names) == 0 {
		delete(s.retained, by)
	}
	isNew := false
	for _, name := range names {
		if s.objects[name] == nil {
			s.objects[name], isNew = &selectedObject{name: name}, true
		}
		s.objects[name].readers++
	}
	for _, name := range before {
		s.objects[name].readers--
		if s.objects[name].readers == 0 {
			s.objects[name].close()
			delete(s.objects, name)
		}
	}
	if isNew && s.metadata == nil {
		s.scheduleNameWatches()
	}
}

// scheduleNameWatches opens the watch of metadata if there are too many names, and watches of names
// once there was no new one for a while, or new ones do not cease. The caller holds the lock.
func (s *Selected) scheduleNameWatches() {
	if len(s.objects) > maxNames && s.openMetadata() == nil {
		return
	}
	if s.newSince.IsZero() {
		s.newSince = time.Now()
	}
	if s.settled != nil {
		s.settled.Stop()
	}
	s.settled = time.AfterFunc(min(backoff.NewNames, time.Until(s.newSince.Add(backoff.NewNamesLongest))), s.openNames)
}
