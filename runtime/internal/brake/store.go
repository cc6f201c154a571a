package brake

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Store keeps the record of a brake in an annotation of a Lease in the operator's own
// namespace. Its role lets it get and update a Lease of this name, and create any. A person releases prunes by another
// annotation of the Lease.
type Store struct {
	Reader     client.Reader // reads from the API server, never from a cache
	Client     client.Client
	Name       types.NamespacedName
	RecordKey  string
	ReleaseKey string
}

// read returns the Lease and its record. It returns an empty Lease if there is none.
func (s *Store) read(ctx context.Context) (*coordinationv1.Lease, Record, error) {
	lease, record := new(coordinationv1.Lease), Record{}
	err := s.Reader.Get(ctx, s.Name, lease)
	if apierrors.IsNotFound(err) {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.Name.Namespace, Name: s.Name.Name}}, record, nil
	}
	if err != nil {
		return nil, record, err
	}
	text := cmp.Or(lease.Annotations[s.RecordKey], "{}")
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return nil, record, fmt.Errorf("the annotation %s of the Lease %s cannot be read: %w", s.RecordKey, s.Name, err)
	}
	return lease, record, nil
}

// write creates or updates the Lease. It returns a conflict if the Lease has changed since it
// was read.
func (s *Store) write(ctx context.Context, lease *coordinationv1.Lease, record Record) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	changed := lease.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, s.RecordKey, string(text))
	if changed.ResourceVersion == "" {
		err = s.Client.Create(ctx, changed)
	} else {
		err = s.Client.Update(ctx, changed)
	}
	if err == nil {
		*lease = *changed
	}
	return err
}

// isOutdated reports whether a write was refused because the Lease has changed, was created or
// was deleted meanwhile.
func isOutdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}

// releaseCommand returns the command by which a person releases what is held.
func (s *Store) releaseCommand(heldAs string) string {
	return fmt.Sprintf("kubectl annotate lease %s --namespace %s %s=%s --overwrite", s.Name.Name, s.Name.Namespace, s.ReleaseKey, heldAs)
}
