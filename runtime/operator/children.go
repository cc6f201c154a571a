package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// report is what came of bringing the children to their desired state.
type report struct {
	children []child // those that are desired or kept, as known now
	stale    bool    // something had changed meanwhile: look again
	err      error
}

// child is an object and its kind, which the object itself may not say.
type child struct {
	kind
	object   client.Object // not to be changed
	replaced bool          // about to be deleted, to be created anew
}

func (c child) key() apply.Key {
	return apply.Key{Kind: c.GroupVersionKind, Name: client.ObjectKeyFromObject(c.object)}
}

// carryOut brings the children to the desired state. Each is applied whatever
// becomes of the others. Nothing is deleted if Sync did not succeed, and
// nothing is pruned if a child could not be applied.
func (p *pass) carryOut(ctx context.Context, kinds []ChildKind, succeeded bool) report {
	plans, err := p.plan(kinds)
	if err != nil {
		return report{children: p.all(), err: err}
	}
	var done report
	var replaced []child
	for i, kind := range p.children {
		live := byName(p.observed[i])
		for _, desired := range plans[i].desired {
			outcome, err := p.apply(ctx, kind, desired, live[desired.Name])
			switch {
			case errors.As(err, new(apply.ErrStale)):
				done.stale = true
				continue
			case err != nil:
				done.err = errors.Join(done.err, errChild{desired.Key(), err})
				continue
			}
			child := child{kind, outcome.Object, outcome.Action == apply.Replace}
			done.children = append(done.children, child)
			if child.replaced {
				replaced = append(replaced, child)
			}
		}
	}
	pruned, kept := p.leftOver(plans)
	done.children = append(done.children, kept...)
	switch {
	case !succeeded || done.stale:
		return done
	case done.err != nil:
		pruned = nil
	}
	stale, err := p.delete(ctx, append(replaced, pruned...))
	done.stale, done.err = stale, errors.Join(done.err, err)
	return done
}

func (p *pass) apply(ctx context.Context, kind kind, desired apply.Desired, live client.Object) (apply.Outcome, error) {
	outcome, err := kind.applier.Do(ctx, p.state.memo, desired, live)
	if err != nil {
		return outcome, err
	}
	if outcome.Drift {
		p.metrics.drifted(p.name, kind.Kind)
	}
	if outcome.Action == apply.Created || outcome.Action == apply.Updated || outcome.Action == apply.Adopted {
		p.state.writes.Wrote(kind.GroupVersionKind, kind.empty, outcome.Object, p.now)
		p.metrics.wrote(p.name, kind.Kind, string(outcome.Action))
		log.FromContext(ctx).V(1).Info("applied a child", "child", desired.Key().String(), "action", outcome.Action, "drift", outcome.Drift)
	}
	return outcome, nil
}

// leftOver splits the observed children that are not desired into those to
// prune and those to keep, and has the memo forget them.
func (p *pass) leftOver(plans []plan) (pruned, kept []child) {
	desired := map[apply.Key]bool{}
	for i := range plans {
		for _, d := range plans[i].desired {
			desired[d.Key()] = true
		}
		for _, object := range p.observed[i] {
			child := child{kind: p.children[i], object: object}
			switch {
			case plans[i].keep[child.key().Name]:
				kept = append(kept, child)
			case !desired[child.key()] && object.GetDeletionTimestamp() == nil:
				pruned = append(pruned, child)
			}
		}
	}
	p.state.memo.Keep(desired)
	return pruned, kept
}

// delete deletes children, if the parent is live what this pass took it for.
func (p *pass) delete(ctx context.Context, children []child) (stale bool, err error) {
	if len(children) == 0 {
		return false, nil
	}
	live := p.loop.parent.new()
	err = p.live.Get(ctx, client.ObjectKeyFromObject(p.parent), live)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if live.GetUID() != p.parent.GetUID() || live.GetResourceVersion() != p.parent.GetResourceVersion() {
		return true, nil
	}
	var failures []error
	for _, child := range children {
		existed, err := child.applier.Delete(ctx, child.object)
		if err != nil {
			failures = append(failures, errChild{child.key(), err})
			continue
		}
		p.state.writes.Deleted(child.GroupVersionKind, child.empty, child.object, p.now)
		if existed {
			p.metrics.wrote(p.name, child.Kind, "deleted")
			log.FromContext(ctx).V(1).Info("deleted a child", "child", child.key().String(), "replaced", child.replaced)
		}
	}
	return false, errors.Join(failures...)
}

// all returns every observed child.
func (p *pass) all() []child {
	var all []child
	for i, objects := range p.observed {
		for _, object := range objects {
			all = append(all, child{kind: p.children[i], object: object})
		}
	}
	return all
}

// parseName reads a name that the author gave: with a namespace, or without
// where the parent's is meant.
func (p *pass) parseName(kind kind, name string) types.NamespacedName {
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		return types.NamespacedName{Namespace: namespace, Name: name}
	}
	if !kind.namespaced {
		return types.NamespacedName{Name: name}
	}
	return types.NamespacedName{Namespace: p.parent.GetNamespace(), Name: name}
}

func byName(objects []client.Object) map[types.NamespacedName]client.Object {
	named := make(map[types.NamespacedName]client.Object, len(objects))
	for _, object := range objects {
		named[client.ObjectKeyFromObject(object)] = object
	}
	return named
}

// lacksRight tells whether an authorizer refused a request. Admission refuses
// with the same code: a quota, a security policy, a namespace on its way out.
func lacksRight(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), `is forbidden: User "`)
}

// errChild is a child that could not be applied or deleted.
type errChild struct {
	key apply.Key
	err error
}

func (e errChild) Unwrap() error { return e.err }

func (e errChild) Error() string {
	if lacksRight(e.err) {
		return fmt.Sprintf("%s: the operator's role does not allow it: list the kind under operator.children and run opgen generate, or see the API server's reason: %v", e.key, e.err)
	}
	if errors.As(e.err, new(apply.ErrTaken)) {
		return e.err.Error()
	}
	return fmt.Sprintf("%s: %v", e.key, e.err)
}
