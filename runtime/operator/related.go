package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/fieldpath"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// relatedKind is an entry of related objects, and which parents read which.
type relatedKind struct {
	kind
	RelatedKind
	list    client.ObjectList
	index   *related.Index
	written consistency.Source // where writes of such objects are seen, if they are children, too
}

func newRelatedKind(mgr Manager, described RelatedKind) (*relatedKind, error) {
	known, err := newKind(mgr, described.Object)
	if err != nil {
		return nil, err
	}
	if described.Metadata {
		known = known.metadataOnly()
	}
	list, err := newList(mgr.GetScheme(), known)
	written := consistency.Source{Kind: known.GroupVersionKind, Cache: mgr.GetCache(), Empty: known.cached}
	return &relatedKind{kind: known, RelatedKind: described, list: list, index: related.NewIndex(), written: written}, err
}

// readAs is where children of a kind are seen as related objects; nil if they are not.
// The cache of those is another, and must not be older than our own writes either.
func (p *pass) readAs(kind *childKind) *consistency.Source {
	for _, read := range p.loop.related {
		if read.GroupVersionKind == kind.GroupVersionKind {
			return &read.written
		}
	}
	return nil
}

// readers maps a related object to the parents that read it.
func (k *relatedKind) readers(_ context.Context, object client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, parent := range k.index.Readers(object) {
		requests = append(requests, reconcile.Request{NamespacedName: parent})
	}
	return requests
}

// errRelated says that the related objects of an entry cannot be told.
type errRelated struct{ error }

func (e errRelated) Unwrap() error { return e.error }

// relatedAttempts are how often the author's Related is called before a parent that is
// to go goes without its answer.
const relatedAttempts = 5

// relate finds the related objects of a pass's parent, and has the parent synced
// when they change. The objects are the cache's own. Entries that cannot be told have
// none for Finalize, which is not to keep a parent for ever.
func (r *reconciler[P, S, C, D, R]) relate(ctx context.Context, p *pass) error {
	if p.finalizing() && (r.definition.Finalize == nil || p.state.finalized) {
		return nil // no code of the author's runs any more, and nothing is to keep the parent
	}
	selections, err := r.selectDynamic(ctx, p)
	if err != nil && !p.goesWithoutAnswer(ctx, err) {
		return err
	}
	p.related = make([][]client.Object, len(p.loop.related))
	for i, kind := range p.loop.related {
		p.related[i], err = p.read(ctx, kind, selections[i])
		if err != nil && !p.goesWithout(ctx, kind, err) {
			return err
		}
	}
	return nil
}

// read returns the related objects of one entry.
func (p *pass) read(ctx context.Context, kind *relatedKind, dynamic []Selection) ([]client.Object, error) {
	queries, err := p.queries(kind, dynamic)
	if err != nil {
		return nil, errRelated{err}
	}
	kind.index.Set(client.ObjectKeyFromObject(p.parent), queries)
	return p.find(ctx, kind, queries)
}

// goesWithout tells whether a parent is to go although an entry cannot be told.
func (p *pass) goesWithout(ctx context.Context, kind *relatedKind, err error) bool {
	if !p.finalizing() || !errors.As(err, new(errRelated)) {
		return false
	}
	log.FromContext(ctx).Error(err, "finalizing without related objects", "kind", kind.Kind)
	return true
}

// goesWithoutAnswer is goesWithout for the author's Related, which may succeed later.
func (p *pass) goesWithoutAnswer(ctx context.Context, err error) bool {
	if !p.finalizing() || p.state.busy() || ctx.Err() != nil || !isTerminal(err) && p.state.failure.count+1 < relatedAttempts {
		return false
	}
	log.FromContext(ctx).Error(err, "finalizing without dynamic related objects")
	return true
}

// selectDynamic asks the author which objects the dynamic entries are: for each
// entry its selections, nil for those that are not dynamic.
func (r *reconciler[P, S, C, D, R]) selectDynamic(ctx context.Context, p *pass) ([][]Selection, error) {
	selections := make([][]Selection, len(p.loop.related))
	if r.definition.Select == nil {
		return selections, nil
	}
	parent := p.parent.DeepCopyObject().(P)
	answer, err := within(ctx, p.state, "Related", cmp.Or(r.definition.Timeout, defaultTimeout), func(ctx context.Context) (*[][]Selection, error) {
		selected, err := r.definition.Select(ctx, parent)
		return &selected, err
	})
	if err != nil {
		return selections, err
	}
	rest := *answer
	for i, kind := range p.loop.related {
		if kind.Dynamic && len(rest) > 0 {
			selections[i], rest = rest[0], rest[1:]
		}
	}
	return selections, nil
}

// queries are what the parent of a pass reads of a related kind.
func (p *pass) queries(kind *relatedKind, dynamic []Selection) ([]related.Query, error) {
	if !kind.Dynamic {
		query, err := p.query(kind)
		return []related.Query{query}, err
	}
	var queries []related.Query
	for _, selection := range dynamic {
		query := related.Query{Names: selection.Names, Namespaces: p.namespaces(kind, selection.Namespaces)}
		if len(selection.Names) == 0 && selection.Selector != nil {
			selector, err := metav1.LabelSelectorAsSelector(selection.Selector)
			if err != nil {
				return nil, errDesired{fmt.Errorf("a selection of related objects of kind %s: %w", kind.Kind, err)}
			}
			query.Selector = selector
		}
		queries = append(queries, query)
	}
	return queries, nil
}

// query evaluates what the spec file says about a related kind.
func (p *pass) query(kind *relatedKind) (related.Query, error) {
	query, err := p.selected(kind)
	if err != nil || kind.NamespacesFrom == "" || !kind.namespaced {
		query.Namespaces = p.namespaces(kind, kind.Namespaces)
		return query, err
	}
	names, err := fieldpath.Strings(p.parent, kind.NamespacesFrom)
	query.Namespaces = names
	return query, err
}

// selected is the part of a query that says which objects, wherever they are.
func (p *pass) selected(kind *relatedKind) (query related.Query, err error) {
	switch {
	case kind.Name != "":
		query.Names = []string{kind.Name}
	case kind.NameFrom != "":
		query.Names, err = fieldpath.Strings(p.parent, kind.NameFrom)
	case kind.SelectorFrom != "":
		var selector *metav1.LabelSelector
		if selector, err = fieldpath.Selector(p.parent, kind.SelectorFrom); err == nil && selector != nil {
			query.Selector, err = metav1.LabelSelectorAsSelector(selector)
		}
	default:
		query.Selector, err = labels.Parse(kind.Selector)
	}
	return query, err
}

// namespaces are where to look for objects of a related kind.
func (p *pass) namespaces(kind *relatedKind, said []string) []string {
	switch {
	case !kind.namespaced:
		return []string{""}
	case said != nil:
		return said
	case p.loop.parent.namespaced:
		return []string{p.parent.GetNamespace()}
	}
	return []string{related.AllNamespaces}
}

// find returns the objects that queries select, each once.
func (p *pass) find(ctx context.Context, kind *relatedKind, queries []related.Query) ([]client.Object, error) {
	var found []client.Object
	var err error
	for _, query := range queries {
		for _, namespace := range query.Namespaces {
			switch {
			case namespace == related.AllNamespaces:
				found, err = p.findAll(ctx, kind, "", query, found)
			case kind.namespaced && p.watched != "" && namespace != p.watched:
				err = errRelated{fmt.Errorf("related objects of kind %s are outside of the only namespace that the operator works in, %s: %s", kind.Kind, p.watched, namespace)}
			case len(query.Names) > 0:
				found, err = p.findNamed(ctx, kind, namespace, query.Names, found)
			default:
				found, err = p.findAll(ctx, kind, namespace, query, found)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	seen := map[types.UID]bool{}
	return slices.DeleteFunc(found, func(object client.Object) bool {
		twice := seen[object.GetUID()]
		seen[object.GetUID()] = true
		return twice
	}), nil
}

func (p *pass) findNamed(ctx context.Context, kind *relatedKind, namespace string, names []string, found []client.Object) ([]client.Object, error) {
	for _, name := range names {
		object := kind.cached.DeepCopyObject().(client.Object)
		err := p.cache.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, object, client.UnsafeDisableDeepCopy)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, object)
	}
	return found, nil
}

func (p *pass) findAll(ctx context.Context, kind *relatedKind, namespace string, query related.Query, found []client.Object) ([]client.Object, error) {
	if len(query.Names) == 0 && query.Selector == nil {
		return found, nil
	}
	options := []client.ListOption{client.InNamespace(namespace), client.UnsafeDisableDeepCopy}
	if len(query.Names) == 0 {
		options = append(options, client.MatchingLabelsSelector{Selector: query.Selector})
	}
	list := kind.list.DeepCopyObject().(client.ObjectList)
	if err := p.cache.List(ctx, list, options...); err != nil {
		return nil, err
	}
	objects, err := itemsOf(list)
	for _, object := range objects {
		if len(query.Names) == 0 || slices.Contains(query.Names, object.GetName()) {
			found = append(found, object)
		}
	}
	return found, err
}
