package operator

import (
	"bytes"
	"cmp"
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// leaseNames returns the name of the lease that elects the leader, and that of the one
// that a release of before this one used; empty if it is the same. Without
// --leader-elect-id the lease was named after the program's file, so that a renamed
// file made a second leader. The next release holds only the one named after the
// project.
func leaseNames(options Options, controllers []Controller) (name, former string) {
	if options.LeaderElectID != "" {
		return options.LeaderElectID, ""
	}
	for _, controller := range controllers {
		name = cmp.Or(name, controller.project)
	}
	if name = cmp.Or(name, options.program); name == options.program {
		return name, ""
	}
	return name, options.program
}

// bothLeases is a lock whose holder holds two leases, so that it excludes those that
// know only one of them.
type bothLeases struct {
	resourcelock.Interface // the one that stays
	former                 resourcelock.Interface
	lacks, formerLacks     bool // it does not exist, as it was read last
}

// Get returns the record of the lease that somebody else holds, if somebody does.
func (b *bothLeases) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := b.Interface.Get(ctx)
	b.lacks = apierrors.IsNotFound(err)
	if err != nil && !b.lacks {
		return nil, nil, err
	}
	former, formerRaw, formerErr := b.former.Get(ctx)
	b.formerLacks = apierrors.IsNotFound(formerErr)
	switch {
	case b.formerLacks:
		return record, raw, err
	case formerErr != nil:
		return nil, nil, formerErr
	case b.lacks:
		return former, formerRaw, nil
	}
	if record.HolderIdentity == "" || record.HolderIdentity == b.Identity() && former.HolderIdentity != "" {
		record = former
	}
	return record, bytes.Join([][]byte{raw, formerRaw}, []byte(",")), nil
}

// Create makes both leases. It fails if one of them exists.
func (b *bothLeases) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if err := b.former.Create(ctx, record); err != nil {
		return err
	}
	return b.Interface.Create(ctx, record)
}

// Update renews both leases, takes them over, or releases them. It makes the one that
// does not exist.
func (b *bothLeases) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if err := update(ctx, b.former, record, b.formerLacks); err != nil {
		return err
	}
	return update(ctx, b.Interface, record, b.lacks)
}

func update(ctx context.Context, lock resourcelock.Interface, record resourcelock.LeaderElectionRecord, lacks bool) error {
	if lacks {
		return lock.Create(ctx, record)
	}
	return lock.Update(ctx, record)
}
