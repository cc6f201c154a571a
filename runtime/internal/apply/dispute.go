package apply

import (
	"context"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Dispute is the fight over a part of one object that is no child: a parent's metadata
// or its status. The zero value knows of none.
type Dispute struct{ fight fight }

// Hold returns what the next repair of the object that was observed waits for; nil when
// that is due. The object is read live, so that rival can name the other field manager
// and what it has taken.
func (d *Dispute) Hold(ctx context.Context, now time.Time, live client.Reader, observed client.Object,
	rival func(live client.Object) (manager string, lost []string),
) (*Contested, error) {
	if d.fight.over(now) {
		d.fight = fight{}
	}
	if d.fight.due(now) {
		return nil, nil
	}
	if d.fight.held == nil {
		current := observed.DeepCopyObject().(client.Object)
		if err := live.Get(ctx, client.ObjectKeyFromObject(observed), current); err != nil {
			return nil, client.IgnoreNotFound(err) // a write to nothing tells its own story
		}
		manager, lost := rival(current)
		d.fight.held = &Contested{Manager: manager, Paths: lost, Retry: d.fight.retry()}
	}
	return d.fight.held, nil
}

// Over tells whether the last repair has held for so long that the next one is another
// affair.
func (d *Dispute) Over(now time.Time) bool { return d.fight.over(now) }

// Repaired counts a repair.
func (d *Dispute) Repaired(now time.Time) { d.fight.repaired(now) }

// MetadataDispute is the fight over the labels and annotations of one object. The zero
// value knows of none.
type MetadataDispute struct {
	dispute Dispute
	wanted  Metadata
	written bool // wanted was, so that to write it again is a repair
}

// Hold returns what writing wanted to the object that was observed waits for; nil
// when that is due. The object is read live to name the other field manager.
func (d *MetadataDispute) Hold(ctx context.Context, now time.Time, live client.Reader, wanted Metadata, observed client.Object, manager string) (*Contested, error) {
	if !d.wanted.equal(wanted) {
		*d = MetadataDispute{wanted: wanted}
	}
	return d.dispute.Hold(ctx, now, live, observed, func(live client.Object) (string, []string) { return wanted.rival(live, manager) })
}

// Wrote counts a write of what Hold was asked about last.
func (d *MetadataDispute) Wrote(now time.Time) {
	if d.written {
		d.dispute.Repaired(now)
	}
	d.written = true
}

func (m Metadata) equal(other Metadata) bool {
	return maps.Equal(m.Labels, other.Labels) && maps.Equal(m.Annotations, other.Annotations)
}

// rival names the field manager that has taken what we own of an object's metadata.
func (m Metadata) rival(live client.Object, manager string) (rival string, lost []string) {
	metadata := map[string]any{}
	for name, set := range map[string]map[string]string{"labels": m.Labels, "annotations": m.Annotations} {
		values := map[string]any{}
		for key, value := range set {
			values[key] = value
		}
		if len(values) > 0 {
			metadata[name] = values
		}
	}
	desired := map[string]any{"metadata": metadata}
	ours := fieldsOf(entryOf(live, manager, metav1.ManagedFieldsOperationApply, ""))
	return rivalIn(live, manager, "", ours, desired, desired)
}

// StatusRival names the field manager that has taken these parts of an object's
// status from ours.
func StatusRival(live client.Object, manager string, parts map[string]any) (rival string, lost []string) {
	desired := map[string]any{"status": parts}
	ours := fieldsOf(entryOf(live, manager, metav1.ManagedFieldsOperationUpdate, "status"))
	if content, err := fields(live); err == nil {
		ours = ours.filled(content)
	}
	return rivalIn(live, manager, "status", ours, desired, desired)
}
