package operator

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// AllNamespaces stands for every namespace in a list of namespaces, and in [Snapshot.In].
const AllNamespaces = declared.AllNamespaces

// RelatedKind is an entry of what Sync reads and never owns: an empty Object of the kind (see
// [Unstructured]), which objects are selected (by Name or Selector, by the paths NameFrom and
// SelectorFrom into the parent, by a Match of fields with those of the parent, or by the child that
// controls them), and in which Namespaces. Fields is the field that holds them; see
// [BindRelated]. Delete and Patch say what else than reading them Sync may ask for.
type RelatedKind = declared.RelatedKind

// OfChild selects the related objects that a child controls, such as the Pods of a Deployment.
type OfChild = declared.OfChild

// Access says how an operator gets at related objects.
type Access = declared.Access

// The ways to get at related objects.
const (
	// AccessWatch watches the objects: their changes cause reconciles, and
	// a reconcile reads them from memory.
	AccessWatch = declared.AccessWatch
	// AccessGet reads the objects by their names in each reconcile. It needs no
	// right but get. Their changes cause no reconcile.
	AccessGet = declared.AccessGet
)

// Selection is one answer of an author's Related method to which objects of a
// kind Sync reads: those with Names, or else those that the label Selector selects, in Namespaces.
type Selection = declared.Selection

// Patches ties a set of patches to an entry of related objects; see [BindPatches].
type Patches = *declared.PatchSet

// BindPatches returns a set of patches for generated code.
func BindPatches[T client.Object](set *PatchSet[T]) Patches { return &set.set }
