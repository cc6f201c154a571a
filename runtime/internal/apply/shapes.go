package apply

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// shapeSet shares the recorded managedFields entries of children, most of which have the same
// paths.
type shapeSet struct {
	mu    sync.Mutex
	known map[string]string
}

// shareEntry returns the managedFields entry of owned fields, without the child's owner. Children
// with the same paths share one string.
func (s *shapeSet) shareEntry(owned *ownedFields) string {
	entry := owned.entry
	if controller := metav1.GetControllerOfNoCopy(owned.object); controller != nil {
		entry = bytes.Replace(entry, []byte(ownerPath(string(controller.UID))), []byte(ownerPath(anyOwner)), 1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared, ok := s.known[string(entry)]; ok {
		return shared
	}
	if s.known == nil || len(s.known) > maxShapes {
		s.known = map[string]string{}
	}
	shared := string(entry)
	s.known[shared] = shared
	return shared
}

// recordedEntry returns the managedFields entry that was recorded of an object. It is nil if there
// is none.
func recordedEntry(last *appliedChild, object client.Object) []byte {
	if last == nil || last.entry == "" {
		return nil
	}
	return restoreOwner(object, []byte(last.entry))
}
