package managedfields

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Interner keeps entries of objects, most of which have the same paths and differ in their owner.
// It keeps each once. The zero value is empty.
type Interner struct {
	mu       sync.Mutex
	interned map[string]string
}

// Intern returns an entry of an object without the object's owner. Entries with the same paths
// share one string. See [Restore].
func (s *Interner) Intern(object client.Object, entry []byte) string {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		entry = bytes.Replace(entry, []byte(ownerPath(string(controller.UID))), []byte(ownerPath(anyOwner)), 1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared, ok := s.interned[string(entry)]; ok {
		return shared
	}
	if s.interned == nil || len(s.interned) > maxInterned {
		s.interned = map[string]string{}
	}
	shared := string(entry)
	s.interned[shared] = shared
	return shared
}
