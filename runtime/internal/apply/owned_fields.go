package apply

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// ownedFields are the fields of a live object that this field manager owns, compared with the
// desired state.
type ownedFields struct {
	comparison
	object  client.Object
	content map[string]any // of the object; read-only
	entry   []byte         // in managedFields, of an apply or else of a create; nil: there is none
	set     *fieldpath.Set // of the entry
	// isCreated says that the entry is of a create, which owns the API server's defaults, too.
	isCreated bool
	// extraCreated is the hash of the paths that a create set and that are not desired:
	// defaults, and fields that the desired state has dropped. Zero: there are none.
	extraCreated uint64
}

// readOwned returns the fields of a live object that this field manager owns, compared with the
// desired state.
func (c *childComparer) readOwned(live client.Object) (*ownedFields, error) {
	if c.owned != nil && c.owned.object == live {
		return c.owned, nil
	}
	owned, err := readOwnedFields(c.manager, c.desired, live)
	c.owned = owned
	return owned, err
}

// readOwnedFields returns the fields of a live object that a field manager owns, compared with the
// desired state.
func readOwnedFields(manager string, d Desired, live client.Object) (*ownedFields, error) {
	content, err := contentOf(live)
	if err != nil {
		return nil, err
	}
	entry, isCreated := ownEntry(live, manager)
	owned := &ownedFields{object: live, content: content, entry: entry, set: managedfields.Parse(entry), isCreated: isCreated}
	owned.comparison = d.compare(owned.set, content)
	if isCreated {
		owned.extraCreated = owned.extra
	} else if created := managedfields.Entry(live, manager, metav1.ManagedFieldsOperationUpdate, ""); created != nil {
		owned.extraCreated = d.compare(managedfields.Parse(created), content).extra
	}
	return owned, nil
}

// ownEntry returns what managedFields holds of a field manager's applies, or else of its create.
func ownEntry(live client.Object, manager string) (entry []byte, isCreated bool) {
	if entry = managedfields.Entry(live, manager, metav1.ManagedFieldsOperationApply, ""); entry != nil {
		return entry, false
	}
	return managedfields.Entry(live, manager, metav1.ManagedFieldsOperationUpdate, ""), true
}

// hasAllDesired reports whether we own every desired path, and have applied no other.
func (o *ownedFields) hasAllDesired() bool {
	return o.entry != nil && len(o.missing) == 0 && (o.isCreated || o.extra == 0)
}

// digestValues returns the digest of the object's values at the owned paths. Of an object that is
// desired without fields it covers only that the object exists, because its fields are not ours.
func (o *ownedFields) digestValues(d Desired) (sum digest, err error) {
	write := func(e *encoder) {
		enter := func(p *managedfields.Node) bool {
			if o.isCreated && !p.Desired.Exists { // a default
				return false
			}
			e.text = append(e.text, p.String()...)
			switch {
			case !p.Live.Exists:
				e.text = append(e.text, " absent"...)
			case p.Below == nil && !isEmptyObject(p.Desired.Value):
				e.writeValue(p.Live.Value)
			}
			e.text = append(e.text, '\n')
			return true
		}
		managedfields.Rules{Enter: enter}.Walk(o.set, d.content(), o.content)
	}
	err = withEncoder(write, func(text []byte) { sum = digestOf(text) })
	return sum, err
}

// contentOf returns an object's fields, which are read-only. Those of a typed object have no
// managedFields, whose conversion is expensive.
func contentOf(object client.Object) (map[string]any, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u.Object, nil
	}
	typed := reflect.ValueOf(object).Elem()
	shallow := reflect.New(typed.Type())
	shallow.Elem().Set(typed)
	bare := shallow.Interface().(client.Object)
	bare.SetManagedFields(nil)
	return runtime.DefaultUnstructuredConverter.ToUnstructured(bare)
}
