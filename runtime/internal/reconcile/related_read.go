package reconcile

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/consistency"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// checkQueries returns an error if the objects of a query cannot be read.
func (l *loop) checkQueries(kind *relatedKind, queries []related.Query) error {
	for _, query := range queries {
		if kind.liveReader != nil && query.Selector != nil {
			return fmt.Errorf("related objects of kind %s are read by their names, since the entry has access: get, and a selection has none", kind.Kind)
		}
		for _, namespace := range query.Namespaces {
			switch {
			case namespace == declared.AllNamespaces && kind.liveReader != nil && len(query.Names) > 0:
				return fmt.Errorf("related objects of kind %s are read in the namespaces that the selection lists, since the entry has access: get, and it lists none", kind.Kind)
			case kind.namespaced && namespace != declared.AllNamespaces && !l.environment.WorksIn(namespace):
				return fmt.Errorf("related objects of kind %s in %s are outside of %s", kind.Kind, namespace, l.environment.DescribeNamespaces())
			}
		}
	}
	return nil
}

// findRelated returns the objects that queries select, each once.
func (kind *relatedKind) findRelated(ctx context.Context, parent types.NamespacedName, queries []related.Query) (found []client.Object, err error) {
	switch {
	case kind.selected != nil:
		found, err = kind.selected.Read(ctx, kind.index, parent, queries)
	case kind.liveReader != nil:
		found, err = readByName(ctx, kind.liveReader, kind, queries)
	default:
		found, err = kind.readCached(ctx, queries)
	}
	switch {
	case err != nil && process.LacksRight(err):
		return nil, errRelated{fmt.Errorf("read related objects of kind %s: %w", kind.Kind, err)}
	case err != nil:
		return nil, err
	}
	for _, object := range found {
		if err := process.CheckReadable(kind.Kind, object); err != nil {
			return nil, errRelated{err}
		}
	}
	seen := map[types.UID]bool{}
	return slices.DeleteFunc(found, func(object client.Object) bool {
		isDuplicate := seen[object.GetUID()]
		seen[object.GetUID()] = true
		return isDuplicate
	}), nil
}

// readByName returns the objects that queries name.
func readByName(ctx context.Context, from consistency.Reader, kind *relatedKind, queries []related.Query) (found []client.Object, err error) {
	for _, query := range queries {
		for _, namespace := range query.Namespaces {
			for _, name := range query.Names {
				object, err := consistency.ReadObject(ctx, from, kind.cached, types.NamespacedName{Namespace: namespace, Name: name})
				if err != nil {
					return nil, err
				}
				if object != nil {
					found = append(found, object)
				}
			}
		}
	}
	return found, nil
}

// readCached returns the objects of the entry's cache that queries select.
func (kind *relatedKind) readCached(ctx context.Context, queries []related.Query) (found []client.Object, err error) {
	for _, query := range queries {
		for _, namespace := range query.Namespaces {
			one := query
			one.Namespaces = []string{namespace}
			read := kind.listCached
			if len(query.Names) > 0 && namespace != declared.AllNamespaces {
				read = kind.getCached
			}
			objects, err := read(ctx, one)
			if err != nil {
				return nil, err
			}
			found = append(found, objects...)
		}
	}
	return found, nil
}

// getCached returns the objects that a query of one namespace names.
func (kind *relatedKind) getCached(ctx context.Context, query related.Query) ([]client.Object, error) {
	return readByName(ctx, kind.cache, kind, []related.Query{query})
}

// listCached returns the objects that a query selects in its one namespace, or in all.
func (kind *relatedKind) listCached(ctx context.Context, query related.Query) (found []client.Object, err error) {
	if query.IsEmpty() {
		return nil, nil
	}
	options := []client.ListOption{client.UnsafeDisableDeepCopy}
	if namespace := query.Namespaces[0]; namespace != declared.AllNamespaces {
		options = append(options, client.InNamespace(namespace))
	}
	if len(query.Fields) > 0 {
		index, values := query.IndexedFields()
		options = append(options, client.MatchingFields{index: values})
	}
	list := kind.list.DeepCopyObject().(client.ObjectList)
	if err := kind.cache.List(ctx, list, options...); err != nil {
		return nil, err
	}
	objects, err := listItems(list)
	for _, object := range objects {
		if query.Selects(object) {
			found = append(found, object)
		}
	}
	return found, err
}
