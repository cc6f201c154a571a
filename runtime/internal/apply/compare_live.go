package apply

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// syncState is the result of comparing a child with its desired state.
type syncState int

const (
	inSync      syncState = iota
	outdated              // it has another desired state, or none that is known
	drifted               // someone else changed fields that we own
	unknown               // values differ, and nothing tells since when or by whom
	hashMissing           // it has no hash, and may have an earlier desired state that it must keep
)

// lastResult returns the result of the last comparison. It reports false if this version of the
// child was not compared.
func (m *AppliedState) lastResult(now time.Time, d Desired, live client.Object) (syncState, bool) {
	last := m.childWithUID(d.Key(), live)
	if last == nil || last.digest != d.digest || last.record != d.record {
		return outdated, false
	}
	if last.input != d.Input && !d.hasOwnership(live) {
		return outdated, true
	}
	last.input = d.Input
	if last.version != live.GetResourceVersion() || last.leftOutdated && d.Update.Rules().WritesChanges {
		return outdated, false
	}
	return last.altered.syncState(now), true
}

// childComparer compares one child with its desired state without a request, and records the
// result.
type childComparer struct {
	manager      string // the field manager
	entries      *managedfields.Interner
	metadataOnly bool // the cache holds only the metadata of children
	now          time.Time
	state        *AppliedState // of all children of the parent
	desired      Desired
	owned        *ownedFields // of the object that was read last
	differing    *string      // of the child's applied state, if it was found out
}

// compareLive compares the live child with its desired state. A version of a child counts as in
// sync only after its values were compared.
func (c *childComparer) compareLive(live client.Object) (syncState, error) {
	d := c.desired
	if result, ok := c.state.lastResult(c.now, d, live); ok {
		return result, nil
	}
	last := c.state.childWithUID(d.Key(), live)
	wasInSync := last != nil && last.digest == d.digest && last.record == d.record && !last.leftOutdated
	switch {
	case !d.Update.Rules().WritesChanges && d.IsOutdated(live) && !wasInSync:
		return c.compareOutdated(live)
	case wasInSync:
		return c.compareChanged(last, live)
	case last != nil && !last.leftOutdated:
		return outdated, nil
	}
	return c.compareUnknown(live)
}

// compareChanged compares a new version of a child that was in sync.
func (c *childComparer) compareChanged(last *appliedChild, live client.Object) (syncState, error) {
	d := c.desired
	owned, err := c.readOwned(live)
	if err != nil {
		return outdated, err
	}
	if d.carriesHash() && live.GetAnnotations()[d.HashKey] != d.Hash || d.namesAnother(live) || !owned.hasAllDesired() {
		return drifted, nil
	}
	altered := last.altered
	if len(owned.differs) == 0 {
		altered = nil
	} else if same, err := owned.isAsAltered(d, altered); err != nil || !same {
		return drifted, err
	}
	c.recordInSync(owned, altered)
	return altered.syncState(c.now), nil
}

// compareUnknown compares a child of which nothing is recorded, as after a restart. A child without
// its hash or the desired state that it is to keep is outdated, whatever its values are, so that a write
// puts them back.
func (c *childComparer) compareUnknown(live client.Object) (syncState, error) {
	d := c.desired
	if live.GetAnnotations()[d.HashKey] != d.Hash || d.lacksDesiredText(live) || !d.hasRecords(live, c.manager) {
		return outdated, nil
	}
	owned, err := c.readOwned(live)
	if err != nil {
		return outdated, err
	}
	hasAll := owned.hasAllDesired()
	switch {
	case hasAll && len(owned.differs) == 0:
		c.recordInSync(owned, nil)
		return inSync, nil
	case !hasAll:
		return drifted, nil
	}
	return unknown, nil
}

// compareOutdated compares a child that changes of the desired state reach only when someone
// deletes it.
func (c *childComparer) compareOutdated(live client.Object) (syncState, error) {
	d := c.desired
	owned, err := c.readOwned(live)
	if err != nil {
		return outdated, err
	}
	values, err := owned.digestValues(d)
	if err != nil {
		return outdated, err
	}
	last := c.state.childWithUID(d.Key(), live)
	if last != nil && last.leftOutdated && last.digest == d.digest && last.leftValues == values {
		last.version = live.GetResourceVersion()
		return inSync, nil
	}
	rest, err := c.withoutHandedOver(owned)
	if err != nil {
		return outdated, err
	}
	same := len(rest.differs) == 0 && rest.hasAllDesired()
	switch {
	case same && rest.extraCreated == 0:
		return outdated, nil // it has the desired values, and gets their hash
	case same, live.GetAnnotations()[d.HashKey] == "":
		return hashMissing, nil
	}
	return inSync, c.recordOutdated(live)
}

// recordOutdated records that the child has another desired state and keeps it.
func (c *childComparer) recordOutdated(live client.Object) error {
	d := c.desired
	owned, err := c.readOwned(live)
	if err != nil {
		return err
	}
	values, err := owned.digestValues(d)
	c.state.setChild(&appliedChild{
		key: d.Key(), uid: live.GetUID(), digest: d.digest, hash: d.Hash, input: d.Input,
		version: live.GetResourceVersion(), leftOutdated: true, leftValues: values, record: d.record,
		desired: c.state.DesiredText(d.Key(), live, d.DesiredKey, c.manager),
	})
	return err
}

// recordApplied records the API server's answer to a write of the whole desired state. Values
// that differ in it were altered by the API server or its admission.
func (c *childComparer) recordApplied(answer client.Object) error {
	owned, err := c.readOwned(answer)
	if err != nil {
		return err
	}
	altered, err := owned.findAltered(c.now, c.desired)
	if err == nil {
		c.recordInSync(owned, altered)
	}
	return err
}

// recordPatched records the API server's answer to a write of some values. If the answer differs
// from the desired state, someone else changed the child meanwhile. The version then counts as
// not compared, and the next reconcile compares it.
func (c *childComparer) recordPatched(answer client.Object) error {
	owned, err := c.readOwned(answer)
	if err != nil {
		return err
	}
	c.recordInSync(owned, nil)
	if len(owned.differs) > 0 || !owned.hasAllDesired() {
		c.state.child(c.desired.Key()).version = ""
	}
	return nil
}

// recordInSync records that the child is in sync, except for values that were altered.
func (c *childComparer) recordInSync(owned *ownedFields, altered *altered) {
	d, live, differing := c.desired, owned.object, ""
	if last := c.state.childWithUID(d.Key(), live); c.differing != nil {
		differing = *c.differing
	} else if last != nil {
		differing = last.differing
	}
	c.state.setChild(&appliedChild{
		key: d.Key(), uid: live.GetUID(), digest: d.digest, hash: d.Hash, input: d.Input, version: live.GetResourceVersion(),
		record: d.recordLeft(), desired: sharedText(d.desiredText(d.content()), live.GetAnnotations()[d.DesiredKey]), extraCreated: owned.extraCreated, entry: c.entries.Intern(live, owned.entry), altered: altered,
		differing: differing,
	})
}
