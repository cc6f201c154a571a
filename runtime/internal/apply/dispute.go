package apply

import (
	"context"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Dispute is the fight over the labels and annotations of one object. The zero value
// knows of none.
type Dispute struct {
	wanted  Metadata
	written bool // wanted was, so that to write it again is a repair
	fight   fight
}

// Hold returns what writing wanted to the object that was observed waits for; nil
// when that is due. The object is read live to name the other field manager.
func (d *Dispute) Hold(ctx context.Context, now time.Time, live client.Reader, wanted Metadata, observed client.Object, manager string) (*Contested, error) {
	if !d.wanted.equal(wanted) {
		*d = Dispute{wanted: wanted}
	}
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
		rival, lost := wanted.rival(current, manager)
		d.fight.held = &Contested{Manager: rival, Paths: lost, Retry: d.fight.retry()}
	}
	return d.fight.held, nil
}

// Wrote counts a write of what Hold was asked about last.
func (d *Dispute) Wrote(now time.Time) {
	if d.written {
		d.fight.repaired(now)
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
	return rivalIn(live, manager, ours, desired, desired)
}
