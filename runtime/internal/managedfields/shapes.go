package managedfields

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Shapes keeps entries of objects, most of which have the same paths and differ in their owner. It
// keeps each once. The zero value is empty.
type Shapes struct {
	mu    sync.Mutex
	known map[string]string
}

// Share returns an entry of an object without the object's owner. Entries with the same paths share
// one string. See [Restore].
func (s *Shapes) Share(object client.Object, entry []byte) string {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
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
