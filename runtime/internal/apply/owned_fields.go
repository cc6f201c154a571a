package apply

import (
	"reflect"

	"github.com/cespare/xxhash/v2"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ownedFields are the fields of a live object that this field manager owns.
type ownedFields struct {
	object client.Object
	entry  []byte   // in managedFields, of an apply or of a create
	set    fieldset // all paths of an apply, or the desired ones of a create
	// extraCreated is the hash of the paths that a create set and that are not desired:
	// defaults, and fields that the desired state has dropped. Zero: there are none.
	extraCreated uint64
	extraApplied bool // an apply set paths that are not desired

	fields map[string]any // of the object, read on first use
}

// readOwnedFields returns the fields of a live object that a field manager owns. A create owns
// the API server's defaults, too, so that only its desired paths are part of the set.
func readOwnedFields(manager string, d Desired, live client.Object) *ownedFields {
	applied := managedEntry(live, manager, metav1.ManagedFieldsOperationApply, "")
	created := managedEntry(live, manager, metav1.ManagedFieldsOperationUpdate, "")
	owned := &ownedFields{object: live, entry: applied, set: parseFieldset(applied)}
	desired := d.contentWith("", "")
	owned.extraApplied = owned.set.hashDifference(desired) != 0
	if created == nil {
		return owned
	}
	set := parseFieldset(created)
	if applied == nil {
		owned.entry, owned.set = created, set.intersection(desired)
	}
	owned.extraCreated = set.hashDifference(desired)
	return owned
}

// intersection returns the paths of the set that a desired value has. The path of an object that
// is desired without fields ends there, because the fields below it are defaults.
func (s fieldset) intersection(desired any) fieldset {
	common, parts := make(fieldset, 0, len(s)), partsOf(desired)
	for _, each := range s {
		value, ok := parts.follow(each.name)
		switch {
		case !ok:
		case each.below == nil || isEmptyObject(value):
			common = append(common, step{each.name, nil})
		default:
			common = append(common, step{each.name, each.below.intersection(value)})
		}
	}
	return common
}

// hashDifference returns the hash of the paths of the set that a desired value does not have. All
// paths below an object that is desired without fields count. It is zero if there are none.
func (s fieldset) hashDifference(desired any) (sum uint64) {
	_ = withEncoder(func(e *encoder) { e.text = s.appendDifference(e.text, desired) }, func(text []byte) { // only values cause errors
		if len(text) > 0 {
			sum = xxhash.Sum64(text)
		}
	})
	return sum
}

// appendDifference appends the paths of the set that a desired value does not have.
func (s fieldset) appendDifference(text []byte, desired any) []byte {
	parts := partsOf(desired)
	for _, step := range s {
		value, ok := parts.follow(step.name)
		switch {
		case !ok:
			text = fieldset{step}.appendTo(text)
		case step.below != nil:
			start := len(text)
			text = append(append(text, '('), step.name...)
			inside := len(text)
			if text = step.below.appendDifference(text, value); len(text) == inside {
				text = text[:start]
				continue
			}
			text = append(text, ')')
		}
	}
	return text
}

// isEmptyObject reports whether a value is an object without fields.
func isEmptyObject(value any) bool {
	fields, ok := value.(map[string]any)
	return ok && len(fields) == 0
}

// appendTo appends the paths of the set to a text.
func (s fieldset) appendTo(text []byte) []byte {
	for _, step := range s {
		text = append(text, '{')
		text = append(text, step.name...)
		text = step.below.appendTo(text)
		text = append(text, '}')
	}
	return text
}

// digestValues returns the digest of the object's values at the owned paths.
func (o *ownedFields) digestValues(desired map[string]any) (s digest, err error) {
	content, err := o.content()
	if err != nil {
		return s, err
	}
	err = withEncoder(func(e *encoder) { e.writeOwned(content, desired, o.set) }, func(text []byte) { s = digestOf(text) })
	return s, err
}

// writeOwned writes the values at the paths of a set. Of an object that is desired without fields
// it writes only that the object exists, because its fields are not ours.
func (e *encoder) writeOwned(live, desired any, set fieldset) {
	if set == nil {
		if isEmptyObject(desired) {
			live = true
		}
		e.writeValue(live)
		e.text = append(e.text, '\n')
		return
	}
	liveParts, desiredParts := partsOf(live), partsOf(desired)
	for _, step := range set {
		e.text = append(append(e.text, step.name...), ' ')
		below, found := liveParts.follow(step.name)
		if !found {
			e.text = append(e.text, "absent\n"...)
			continue
		}
		value, _ := desiredParts.follow(step.name)
		e.writeOwned(below, value, step.below)
	}
}

// content returns the object's fields, which are read-only.
func (o *ownedFields) content() (map[string]any, error) {
	if o.fields != nil {
		return o.fields, nil
	}
	var err error
	o.fields, err = contentOf(o.object)
	return o.fields, err
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
