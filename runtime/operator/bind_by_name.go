package operator

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// BindByName returns the kinds of children that two structs have, to which observed and desired point:
// each [Snapshot] with the [DesiredSet] of the same name. It knows nothing of what the spec file says
// of the kinds, and keeps what is desired of all. It is for tests of Sync, which find it in package operatortest as Simulate.
func BindByName(observed, desired any) []ChildKind {
	snapshots, sets := reflect.ValueOf(observed).Elem(), reflect.ValueOf(desired).Elem()
	if snapshots.Kind() != reflect.Struct || sets.Kind() != reflect.Struct {
		return nil
	}
	var kinds []ChildKind
	for i := range sets.NumField() {
		set, isSet := addressOf(sets.Field(i)).(desiredField)
		snapshot, isSnapshot := addressOf(snapshots.FieldByName(sets.Type().Field(i).Name)).(snapshotField)
		if !isSet || !isSnapshot {
			continue
		}
		_, isMetadata := snapshot.newItem().(*metav1.PartialObjectMetadata)
		kinds = append(kinds, ChildKind{
			Object: set.newItem(), Metadata: isMetadata, KeepDesired: !isMetadata, // which costs a test nothing
			Fields: Fields{Observe: snapshot.observe, ObserveRefused: snapshot.setRefused, Desired: set.declared()},
		})
	}
	return kinds
}

type desiredField interface {
	newItem() client.Object
	declared() *declared.DesiredSet
}

type snapshotField interface {
	newItem() client.Object
	observe(declared.View)
	setRefused(declared.Refusals)
}

// addressOf returns a pointer to an exported field of a struct, or nil.
func addressOf(field reflect.Value) any {
	if !field.IsValid() || !field.CanInterface() {
		return nil
	}
	return field.Addr().Interface()
}

func (s *DesiredSet[T]) newItem() client.Object { return newItem[T]() }

func (s *DesiredSet[T]) declared() *declared.DesiredSet { return &s.set }

func (s *Snapshot[T]) newItem() client.Object { return newItem[T]() }

// newItem returns an empty object of a type.
func newItem[T client.Object]() client.Object {
	return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(client.Object)
}
