package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/objectfields"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// relatedKind is an entry of related objects, and which parents read which.
type relatedKind struct {
	kind
	declared.RelatedKind
	optional *optionalKind // nil: it is always served
	from     *relatedKind  // into whose objects the paths lead, or which control the objects; nil: the parent, or a child
	// isBetween says that the objects are between a child and its members. Sync does not see them.
	isBetween bool
	ofChild   *childKind // of which the objects are members; nil: of none

	list   client.ObjectList // an empty one
	index  *related.Index
	source *consistency.Source // shows writes of these objects, if they are children, too; nil if they are read live

	patched *patchedObjects // those that the controller patches; nil: it patches none

	// One of these shows the objects.
	cache      cache.Cache       // a watch that is open from the start
	selected   *related.Selected // those that parents select
	liveReader client.Reader     // the API server
}

// requestsForReaders returns a request for each parent that reads a related object.
func (k *relatedKind) requestsForReaders(object client.Object) []ctrl.Request {
	var requests []ctrl.Request
	for _, parent := range k.index.Readers(object) {
		requests = append(requests, ctrl.Request{NamespacedName: parent})
	}
	return requests
}

// observeRelated returns the related objects of the parent for each entry, and has the parent
// reconciled when they change. The objects are the cache's own. It returns an error if the
// objects of an entry cannot be found. Finalize gets none then, so that the parent can go. isServed says
// which entries the API server serves.
func (r *run) observeRelated(ctx context.Context, children *observed) (objects [][]client.Object, isServed []bool, err error) {
	l := r.loop
	if r.isFinalizing() && (l.definition.Author.Finalize == nil || r.state.finalized) {
		return nil, nil, nil // the author's code runs no more, and nothing is to keep the parent
	}
	selections, err := r.calls.selectDynamic(ctx)
	if err != nil && !r.goesWithoutSelections(ctx, err) {
		return nil, nil, err
	}
	objects, isServed = make([][]client.Object, len(l.relatedKinds)), make([]bool, len(l.relatedKinds))
	for _, i := range l.relatedOrder {
		kind := l.relatedKinds[i]
		if isServed[i] = kind.isServed(); !isServed[i] {
			continue
		}
		objects[i], err = r.readEntry(ctx, kind, selections[i], r.sourcesOf(kind, objects, children))
		if err != nil && !r.goesWithoutEntry(ctx, kind, err) {
			return objects, isServed, err
		}
	}
	return objects, isServed, nil
}

// readEntry returns the related objects of one entry. Its paths lead into the sources.
func (r *run) readEntry(ctx context.Context, kind *relatedKind, dynamic []declared.Selection, sources []client.Object) ([]client.Object, error) {
	queries, err := r.newQueries(kind, dynamic, sources)
	if err != nil {
		return nil, errRelated{err}
	}
	kind.index.Set(r.name(), queries)
	if err := r.loop.checkQueries(kind, queries); err != nil {
		return nil, errRelated{err}
	}
	return kind.findRelated(ctx, r.name(), queries)
}

// goesWithoutEntry reports whether a parent is finalized although the objects of an entry
// cannot be found.
func (r *run) goesWithoutEntry(ctx context.Context, kind *relatedKind, err error) bool {
	if !r.isFinalizing() || !errors.As(err, new(errRelated)) {
		return false
	}
	log.FromContext(ctx).Error(err, "finalizing without related objects", "kind", kind.Kind)
	return true
}

// goesWithoutSelections reports whether a parent is finalized although the author's Related
// failed, which may succeed later.
func (r *run) goesWithoutSelections(ctx context.Context, err error) bool {
	if !r.isFinalizing() || r.state.isBusy() || ctx.Err() != nil || errors.As(err, new(errPutOff)) || !isTerminal(err) && r.state.failures.Count+1 < backoff.RelatedAttempts {
		return false
	}
	log.FromContext(ctx).Error(err, "finalizing without dynamic related objects")
	return true
}

// selectDynamic calls the author's Related. It returns the selections of each entry, nil for
// those that are not dynamic.
func (c *caller) selectDynamic(ctx context.Context) ([][]declared.Selection, error) {
	selections := make([][]declared.Selection, len(c.loop.relatedKinds))
	if c.loop.definition.Author.Select == nil {
		return selections, nil
	}
	parent := c.parent.DeepCopyObject().(client.Object)
	rest, err := callWithTimeout(ctx, c, "Related", func(ctx context.Context) ([][]declared.Selection, error) {
		return c.loop.definition.Author.Select(ctx, parent)
	})
	if err != nil {
		return selections, err
	}
	for i, kind := range c.loop.relatedKinds {
		if kind.Dynamic && len(rest) > 0 {
			selections[i], rest = rest[0], rest[1:]
		}
	}
	return selections, nil
}

// newQueries returns what a parent reads of a related kind, whose paths lead into the sources.
func (s *subject) newQueries(kind *relatedKind, dynamic []declared.Selection, sources []client.Object) (queries []related.Query, err error) {
	if !kind.Dynamic {
		for _, source := range sources {
			query, err := s.newQuery(kind, source)
			if err != nil {
				return nil, fmt.Errorf("in %s, %w", s.nameSource(kind, source), err)
			}
			queries = append(queries, query)
		}
		return queries, nil
	}
	for _, selection := range dynamic {
		query := related.Query{Names: withoutEmpty(selection.Names), Namespaces: s.queryNamespaces(kind, withoutEmpty(selection.Namespaces), s.parent)}
		if len(selection.Names) == 0 && selection.Selector != nil {
			selector, err := metav1.LabelSelectorAsSelector(selection.Selector)
			if err != nil {
				return nil, errInvalid{fmt.Errorf("a selection of related objects of kind %s: %w", kind.Kind, err)}
			}
			query.Selector = selector
		}
		queries = append(queries, query)
	}
	return queries, nil
}

// withoutEmpty returns names without empty ones, such as those of fields that a parent leaves out: they
// select nothing. Nil stays nil.
func withoutEmpty(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
}

// newQuery evaluates an entry of the spec file for an object that its paths lead into.
func (s *subject) newQuery(kind *relatedKind, source client.Object) (related.Query, error) {
	if kind.ofChild != nil {
		return s.queryByController(kind, source)
	}
	query, err := queryWithoutNamespaces(source, kind)
	if err != nil || kind.NamespacesFrom == "" || !kind.namespaced {
		query.Namespaces = s.queryNamespaces(kind, kind.Namespaces, source)
		return query, err
	}
	names, err := objectfields.Strings(source, kind.NamespacesFrom)
	query.Namespaces = names
	return query, err
}

// nameSource returns what a message calls an object that the paths of an entry lead into.
func (s *subject) nameSource(kind *relatedKind, source client.Object) string {
	if kind.from == nil {
		return "the parent"
	}
	return kind.from.Kind + " " + client.ObjectKeyFromObject(source).String()
}

// queryWithoutNamespaces returns the names or the selector of a query, without namespaces.
func queryWithoutNamespaces(source client.Object, kind *relatedKind) (query related.Query, err error) {
	switch {
	case kind.Name != "":
		query.Names = []string{kind.Name}
	case kind.NameFrom != "":
		query.Names, err = objectfields.Strings(source, kind.NameFrom)
	case len(kind.Match) > 0:
		return queryByFields(source, kind)
	case kind.SelectorFrom != "":
		var selector *metav1.LabelSelector
		if selector, err = objectfields.Selector(source, kind.SelectorFrom); err == nil && selector != nil {
			query.Selector, err = metav1.LabelSelectorAsSelector(selector)
		}
	default:
		query.Selector, err = labels.Parse(kind.Selector)
	}
	return query, err
}

// queryByFields returns a query for the objects whose fields match those of a source. It selects
// nothing if a field of the source is not set.
func queryByFields(source client.Object, kind *relatedKind) (query related.Query, err error) {
	for _, path := range matchedPaths(kind.RelatedKind) {
		value, err := objectfields.Text(source, kind.Match[path])
		if err != nil || value == "" {
			return related.Query{}, err
		}
		query.Fields = append(query.Fields, related.Field{Path: path, Value: value})
	}
	query.Selector, err = labels.Parse(kind.Selector)
	return query, err
}

// queryNamespaces returns the namespaces of a query: those that are stated, or the one of the source,
// or else of the parent.
func (s *subject) queryNamespaces(kind *relatedKind, stated []string, source client.Object) []string {
	switch {
	case !kind.namespaced:
		return []string{""}
	case stated != nil:
		return stated
	case source.GetNamespace() != "":
		return []string{source.GetNamespace()}
	case s.loop.parentKind.namespaced:
		return []string{s.parent.GetNamespace()}
	}
	return []string{declared.AllNamespaces}
}
