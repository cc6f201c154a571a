package process

import (
	"bytes"
	"cmp"
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// leaseNames returns the name of the lease that elects the leader, and the name that an
// earlier release used; empty if it is the same. Without --leader-elect-id that release named
// the lease after the program's file, so that a renamed file led to a second leader. The next
// release holds only the lease named after the project.
func leaseNames(settings Settings, controllers []Controller) (name, former string) {
	if settings.LeaderElectID != "" {
		return settings.LeaderElectID, ""
	}
	for _, controller := range controllers {
		name = cmp.Or(name, controller.project)
	}
	if name = cmp.Or(name, settings.Program); name == settings.Program {
		return name, ""
	}
	return name, settings.Program
}

// bothLeases is a lock whose holder holds two leases, so that it excludes those that
// know only one of them.
type bothLeases struct {
	resourcelock.Interface // the one that stays
	former                 resourcelock.Interface
	missing, formerMissing bool // the lease did not exist when it was read last
}

// Get returns the record of the lease that another replica holds, if one does.
func (b *bothLeases) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := b.Interface.Get(ctx)
	b.missing = apierrors.IsNotFound(err)
	if err != nil && !b.missing {
		return nil, nil, err
	}
	former, formerRaw, formerErr := b.former.Get(ctx)
	b.formerMissing = apierrors.IsNotFound(formerErr)
	switch {
	case b.formerMissing:
		return record, raw, err
	case formerErr != nil:
		return nil, nil, formerErr
	case b.missing:
		return former, formerRaw, nil
	}
	if record.HolderIdentity == "" || record.HolderIdentity == b.Identity() && former.HolderIdentity != "" {
		record = former
	}
	return record, bytes.Join([][]byte{raw, formerRaw}, []byte(",")), nil
}

// Create creates both leases. It returns an error if one of them exists.
func (b *bothLeases) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if err := b.former.Create(ctx, record); err != nil {
		return err
	}
	return b.Interface.Create(ctx, record)
}

// Update renews both leases, takes them over, or releases them. It creates a missing one.
func (b *bothLeases) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if err := updateLease(ctx, b.former, record, b.formerMissing); err != nil {
		return err
	}
	return updateLease(ctx, b.Interface, record, b.missing)
}

// updateLease updates a lease, or creates it if it does not exist.
func updateLease(ctx context.Context, lock resourcelock.Interface, record resourcelock.LeaderElectionRecord, missing bool) error {
	if missing {
		return lock.Create(ctx, record)
	}
	return lock.Update(ctx, record)
}
