package operator

import (
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Refused returns the error of the last write of the child with this name, if the API
// server has refused it: a quota, a policy, validation, a namespace that is being deleted.
// A name conflict is none of these; see [Snapshot.NameConflict].
// It is nil once a write succeeds, and after a change of the parent's spec. A child that is no
// longer desired stays refused for ten minutes. Names are those of [Snapshot.Get].
//
// The operator remembers refusals in memory: after a start, a write has to be refused again.
func (s Snapshot[T]) Refused(name string) error {
	s.recordRead()
	key, _ := s.keyOf(name)
	return s.refused[key]
}

// Refuse returns the snapshot with a child whose last write was refused, for tests of Sync. The
// name may be written as namespace/name.
func (s Snapshot[T]) Refuse(name string, err error) Snapshot[T] {
	key, _ := s.keyOf(name)
	refused := declared.Refusals{key: err}
	for other, err := range s.refused {
		refused[other] = err
	}
	s.refused = refused
	return s
}

func (s *Snapshot[T]) setRefused(refused declared.Refusals) { s.refused = refused }
