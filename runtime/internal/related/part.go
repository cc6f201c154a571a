package related

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// Part is a part of the objects of a kind, to which a watch is limited.
type Part struct {
	Kind       schema.GroupVersionKind
	GoType     string // of the objects; see [GoTypeOf]
	Namespaces string // with commas between them; empty: all that the operator works in
	Name       string // empty: any
	Labels     string // a selector in kubectl's syntax; empty: any
	// IsReduced leaves out everything but what identifies a version of an object, and its labels.
	IsReduced bool
	// HasOwners retains the owners of objects that are reduced.
	HasOwners bool
	// Marks is what the keys of the annotations begin with that reduced objects retain, with the
	// managedFields of operators of this runtime. Empty: they retain none.
	Marks string
}

// GoTypeOf returns the Go type of an object, by which watches of typed objects, of unstructured ones
// and of metadata differ.
func GoTypeOf(object client.Object) string { return fmt.Sprintf("%T", object) }

// JoinNamespaces returns namespaces as a Part has them.
func JoinNamespaces(names []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ",")
}

// Has reports whether an object of the kind is in the part.
func (p Part) Has(object client.Object) bool {
	if p.Name != "" && p.Name != object.GetName() {
		return false
	}
	if p.Namespaces != "" && !slices.Contains(strings.Split(p.Namespaces, ","), object.GetNamespace()) {
		return false
	}
	selector, err := labels.Parse(p.Labels)
	return err == nil && selector.Matches(labels.Set(object.GetLabels()))
}

// limit limits a cache to the part.
func (p Part) limit(options *cache.Options) error {
	if p.Name != "" {
		options.DefaultFieldSelector = fields.OneTermEqualSelector("metadata.name", p.Name)
	}
	if p.Labels != "" {
		selector, err := labels.Parse(p.Labels)
		if err != nil {
			return err
		}
		options.DefaultLabelSelector = selector
	}
	if p.Namespaces != "" {
		options.DefaultNamespaces = map[string]cache.Config{}
		for namespace := range strings.SplitSeq(p.Namespaces, ",") {
			options.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	switch {
	case p.Marks != "":
		options.DefaultTransform = p.reduceToMarks
	case p.HasOwners:
		options.DefaultTransform = reduceToOwners
	case p.IsReduced:
		options.DefaultTransform = reduce
	}
	return nil
}

// reduce drops what a cache does not need to tell which objects a query selects, and in which
// version: an annotation can hold a copy of the whole object.
func reduce(object any) (any, error) {
	whole, ok := object.(*metav1.PartialObjectMetadata)
	if !ok {
		return object, nil
	}
	reduced := &metav1.PartialObjectMetadata{TypeMeta: whole.TypeMeta}
	reduced.Name, reduced.Namespace, reduced.UID, reduced.ResourceVersion = whole.Name, whole.Namespace, whole.UID, whole.ResourceVersion
	reduced.Labels, reduced.DeletionTimestamp = whole.Labels, whole.DeletionTimestamp
	return reduced, nil
}

// reduceToOwners is reduce, but retains the owners.
func reduceToOwners(object any) (any, error) {
	reduced, err := reduce(object)
	if whole, ok := object.(*metav1.PartialObjectMetadata); ok {
		reduced.(*metav1.PartialObjectMetadata).OwnerReferences = whole.OwnerReferences
	}
	return reduced, err
}

// reduceToMarks is reduce, but retains the marks of the part.
func (p Part) reduceToMarks(object any) (any, error) {
	reduced, err := reduce(object)
	whole, ok := object.(*metav1.PartialObjectMetadata)
	if !ok {
		return reduced, err
	}
	marks, entries := map[string]string{}, []metav1.ManagedFieldsEntry{}
	for key, value := range whole.Annotations {
		if strings.HasPrefix(key, p.Marks) {
			marks[key] = value
		}
	}
	for _, entry := range whole.ManagedFields {
		if managedfields.IsOfARuntime(entry.Manager) {
			entry.Time = nil
			entries = append(entries, entry)
		}
	}
	kept := reduced.(*metav1.PartialObjectMetadata)
	kept.Annotations, kept.ManagedFields = marks, entries
	return kept, err
}

// newReduced returns an empty object of a kind, as a reduced watch shows it.
func newReduced(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	object := new(metav1.PartialObjectMetadata)
	object.SetGroupVersionKind(kind)
	return object
}

// partOfName returns the part that has the one object of a name.
func partOfName(kind schema.GroupVersionKind, empty client.Object, name types.NamespacedName) Part {
	return Part{Kind: kind, GoType: GoTypeOf(empty), Namespaces: name.Namespace, Name: name.Name}
}
