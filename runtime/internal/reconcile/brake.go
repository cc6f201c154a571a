package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/brake"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// releaseKey is the annotation, below the API group of the parents, by which a person releases
// the prunes of an incident. It is set on the Lease of the brake.
const releaseKey = "/release-prunes"

// newBrake returns the brake of a controller.
func newBrake(mgr manager.Manager, environment *process.Environment, controller, group string) (*brake.Brake, error) {
	name := controller + "." + group + "-prunes"
	if environment.ParentSelector != "" && environment.LeaderElectID != "" { // each shard has its own
		name = environment.LeaderElectID + "-" + name
	}
	made := &brake.Brake{
		Store: brake.Store{
			Reader: mgr.GetAPIReader(), Client: mgr.GetClient(),
			Name:      types.NamespacedName{Namespace: environment.OwnNamespace(), Name: name},
			RecordKey: group + "/prunes", ReleaseKey: group + releaseKey,
		},
		Limit:     brake.Limit{Least: environment.PruneLimit, Percent: environment.PruneLimitPercent, Window: backoff.PruneWindow},
		ReleaseAs: environment.ReleasePrunes,
		Now:       environment.Control.Now,
		Report:    func(parents int) { environment.Metrics.SetHeldPrunes(controller, parents) },
	}
	return made, mgr.Add(made)
}

// countParents counts the parents in the cache.
func (l *loop) countParents() (int, error) {
	objects, err := l.listParents(context.Background())
	count := 0
	for _, object := range objects {
		if l.isParent(object) {
			count++
		}
	}
	return count, err
}

// listParents returns the objects of the parents' kind in the cache. They are the cache's own.
func (l *loop) listParents(ctx context.Context) ([]client.Object, error) {
	list, err := newList(l.client.Scheme(), l.parentKind)
	if err != nil {
		return nil, err
	}
	if err := l.cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	return listItems(list)
}

// setQueue is called with the work queue when the controller starts.
func (l *loop) setQueue(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
	l.queue = queue
	if l.statusMetrics != nil {
		l.statusMetrics.works.Store(true)
	}
	l.optional.addQueue(l, queue)
	return nil
}

// brakeKey names a parent for the brake.
func (l *loop) brakeKey(name types.NamespacedName) brake.Parent {
	return brake.Parent{Kind: l.parentKind.GroupKind(), Name: name}
}

// prunes are the undesired children that a reconcile may prune, and the related objects that it may delete.
type prunes struct {
	due       []child         // now
	deletions []relatedObject // now
	isAll     bool            // none is held, and none waits for an apply
	heldText  string          // which ones are held, and how a person releases them; empty: none
}

// limitPrunes finds those of the undesired children that are pruned now, and the related objects that are
// deleted now. Those that no change of the parent explains count at the brake, and stay while that
// holds them. kept are children that Sync keeps by their names.
func (r *run) limitPrunes(ctx context.Context, undesired, kept []child) (prunes, error) {
	l, key := r.loop, r.loop.brakeKey(r.name())
	isExplained := r.isFinalizing() || r.state.isEdited
	var counted []string
	explained := prunes{}
	for _, child := range undesired {
		if isExplained || child.isFinishedRun(kept) {
			explained.due = append(explained.due, child)
		} else {
			counted = append(counted, child.key().String())
		}
	}
	reason := "which Sync does not desire"
	for _, related := range r.deletions {
		if isExplained || related.isFinished() {
			explained.deletions = append(explained.deletions, related)
		} else {
			counted, reason = append(counted, related.key().String()), "which Sync does not desire or deletes"
		}
	}
	all := prunes{due: undesired, deletions: r.deletions, isAll: true}
	if len(counted) == 0 || l.environment.Observe {
		l.brake.Forget(key)
		return all, nil
	}
	heldText, err := r.countPrunes(ctx, counted, reason)
	if err != nil || heldText != "" {
		explained.heldText = heldText
		return explained, err
	}
	return all, nil
}

// holdOptOut says why the children of an object stay although no selector selects it any more; empty if
// they go. What a person does to the object while the operator runs explains that. If this process has
// never seen the object selected, the selector may be wrong, so that it counts at the brake.
func (r *run) holdOptOut(ctx context.Context, children []child) (heldText string, err error) {
	if r.isDeleting() || r.state.wasSelected || len(children) == 0 || r.loop.environment.Observe {
		return "", nil
	}
	heldText, err = r.countPrunes(ctx, keysOf(children), "whose parent no selector selects any more")
	r.state.wasSelected = heldText == "" && err == nil // the rest goes, however long that takes
	return heldText, err
}

// keysOf returns the kinds and names of children.
func keysOf(children []child) (keys []string) {
	for _, child := range children {
		keys = append(keys, child.key().String())
	}
	return keys
}

// countPrunes counts a parent that is to lose objects at the brake. It returns what is held; empty if
// they may go. The reason follows their names in a message.
func (r *run) countPrunes(ctx context.Context, names []string, reason string) (heldText string, err error) {
	l, key := r.loop, r.loop.brakeKey(r.name())
	isAllowed, err := l.brake.Allow(ctx, key, func() { l.queue.Add(ctrl.Request{NamespacedName: key.Name}) })
	switch {
	case err != nil:
		return "", errNotCounted{err}
	case isAllowed:
		l.environment.Metrics.CountPrune(l.definition.Name, "pruned")
		return "", nil
	}
	l.environment.Metrics.CountPrune(l.definition.Name, "held")
	heldText = l.heldPrunesText(names, reason)
	if l.brake.IsEventDue() {
		r.recordEvent(corev1.EventTypeWarning, reasonPruneHeld, truncateText(heldText))
		log.FromContext(ctx).Info("holds prunes", "what", heldText)
	}
	return heldText, nil
}

// isFinishedRun reports whether a child is one that a history limit drops: one that has
// finished, or a child that is no younger than another one of its kind that Sync keeps.
func (c child) isFinishedRun(kept []child) bool {
	if c.IsFinished(c.object) {
		return true
	}
	for _, other := range kept {
		created := other.object.GetCreationTimestamp()
		if other.childKind == c.childKind && !c.object.GetCreationTimestamp().After(created.Time) {
			return true
		}
	}
	return false
}

// heldPrunesText says what is held, why it would be pruned, and how a person releases it.
func (l *loop) heldPrunesText(names []string, reason string) string {
	return fmt.Sprintf("keeps %s, %s: too many parents lost children within %.0f minutes although their specs had not changed. If this is right, release the prunes: %s",
		joinPaths(names), reason, backoff.PruneWindow.Minutes(), l.brake.ReleaseCommand())
}

// startSpec records which spec of the parent the reconcile sees. A spec that is another one than
// in the reconcile before, or than the status says, is an edit: until the parent has converged,
// it explains prunes. So is the spec of a new parent: nothing of this operator's is to be seen of
// it, neither a status nor children. A process that cannot know takes the spec for unchanged.
func (s *state) startSpec(parent client.Object, observedGeneration int64, hasChildren bool) {
	if s.specOf == parent.GetResourceVersion() {
		return
	}
	s.specOf = parent.GetResourceVersion()
	spec := specVersion(parent)
	switch {
	case s.spec != "":
		s.isEdited = s.isEdited || s.spec != spec
	case observedGeneration > 0:
		s.isEdited = observedGeneration != parent.GetGeneration()
	default:
		s.isEdited = !hasChildren
	}
	s.spec = spec
}

// specVersion returns a text that changes with the spec of an object. For kinds whose objects have
// no generation, that is a hash of all but the metadata and the status.
func specVersion(object client.Object) string {
	if generation := object.GetGeneration(); generation != 0 {
		return strconv.FormatInt(generation, 10)
	}
	var content map[string]any
	data, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(data, &content)
	}
	if err != nil {
		return object.GetResourceVersion()
	}
	delete(content, "metadata")
	delete(content, "status")
	data, _ = json.Marshal(content) // it was JSON
	return strconv.FormatUint(xxhash.Sum64(data), 16)
}
