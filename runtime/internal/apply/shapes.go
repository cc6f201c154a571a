package apply

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// shapeSet shares the entries in managedFields that are remembered of children, most of
// which are of one shape.
type shapeSet struct {
	mu    sync.Mutex
	known map[string]string
}

// share returns the entry of a view for the memo, without the child's owner.
func (s *shapeSet) share(v *view) string {
	entry := v.entry
	if controller := metav1.GetControllerOfNoCopy(v.object); controller != nil {
		entry = bytes.Replace(entry, []byte(ownerPath(string(controller.UID))), []byte(ownerPath(anyOwner)), 1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared, ok := s.known[string(entry)]; ok {
		return shared
	}
	if s.known == nil || len(s.known) > shapes {
		s.known = map[string]string{}
	}
	shared := string(entry)
	s.known[shared] = shared
	return shared
}

// heldOf returns the entry that is remembered of an object, as it belongs to it.
func (s *shapeSet) heldOf(last *verified, object client.Object) []byte {
	if last == nil || last.entries == "" {
		return nil
	}
	return restored(object, []byte(last.entries))
}
