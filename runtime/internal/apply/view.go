package apply

import (
	"reflect"

	"github.com/cespare/xxhash/v2"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// view is what this field manager owns in a live object.
type view struct {
	object client.Object
	entry  []byte   // of an apply, or of a plain create, as managedFields has it
	set    fieldset // our paths: all that we have applied, or what of a plain create is desired
	// others sums up the paths that a plain create has set beside those that are
	// desired: defaults, and what desired has dropped.
	others uint64
	extra  bool // we have applied what is not desired

	fields map[string]any // of the object, once they were asked for
}

// look returns the view of a live object. The entry of a plain create holds the API
// server's defaults, too, so that only what is desired of it counts as ours.
func (a *Applier) look(d Desired, live client.Object) *view {
	applied := entryOf(live, a.Manager, metav1.ManagedFieldsOperationApply, "")
	made := entryOf(live, a.Manager, metav1.ManagedFieldsOperationUpdate, "")
	v := &view{object: live, entry: applied, set: fieldsOf(applied)}
	desired := d.complete("", "")
	v.extra = v.set.beyond(desired) != 0
	if made == nil {
		return v
	}
	created := fieldsOf(made)
	if applied == nil {
		v.entry, v.set = made, created.within(desired)
	}
	v.others = created.beyond(desired)
	return v
}

// within returns the paths in a set that are desired. What is desired without any
// field is asked for as it is: what is below are defaults.
func (s fieldset) within(desired any) fieldset {
	ours := make(fieldset, 0, len(s))
	for _, each := range s {
		value, ok := descend(desired, each.name)
		switch {
		case !ok:
		case each.below == nil || empty(value):
			ours = append(ours, step{each.name, nil})
		default:
			ours = append(ours, step{each.name, each.below.within(value)})
		}
	}
	return ours
}

// beyond sums up the paths in a set that are not desired, as all are below an object
// that is desired without any field. It is zero where there is none.
func (s fieldset) beyond(desired any) (sum uint64) {
	_ = encoding(func(e *encoder) { e.text = s.appendBeyond(e.text, desired) }, func(text []byte) { // it fails for values alone
		if len(text) > 0 {
			sum = xxhash.Sum64(text)
		}
	})
	return sum
}

func (s fieldset) appendBeyond(text []byte, desired any) []byte {
	for _, step := range s {
		value, ok := descend(desired, step.name)
		switch {
		case !ok:
			text = fieldset{step}.append(text)
		case step.below != nil:
			start := len(text)
			text = append(append(text, '('), step.name...)
			inside := len(text)
			if text = step.below.appendBeyond(text, value); len(text) == inside {
				text = text[:start]
				continue
			}
			text = append(text, ')')
		}
	}
	return text
}

func empty(value any) bool {
	fields, ok := value.(map[string]any)
	return ok && len(fields) == 0
}

// append writes a set.
func (s fieldset) append(text []byte) []byte {
	for _, step := range s {
		text = append(text, '{')
		text = append(text, step.name...)
		text = step.below.append(text)
		text = append(text, '}')
	}
	return text
}

// values sums up the values at our paths.
func (v *view) values(desired map[string]any) (s sum, err error) {
	content, err := v.content()
	if err != nil {
		return s, err
	}
	err = encoding(func(e *encoder) { e.owned(content, desired, v.set) }, func(text []byte) { s = sumOf(text) })
	return s, err
}

// owned writes the values at the paths in a set. An object that is desired
// without any field is asked for as such: what is in it is not ours.
func (e *encoder) owned(live, desired any, set fieldset) {
	if set == nil {
		if empty(desired) {
			live = true
		}
		e.value(live)
		e.text = append(e.text, '\n')
		return
	}
	for _, step := range set {
		e.text = append(append(e.text, step.name...), ' ')
		below, found := descend(live, step.name)
		if !found {
			e.text = append(e.text, "absent\n"...)
			continue
		}
		wanted, _ := descend(desired, step.name)
		e.owned(below, wanted, step.below)
	}
}

// content returns the object's fields, not to be changed.
func (v *view) content() (map[string]any, error) {
	if v.fields != nil {
		return v.fields, nil
	}
	var err error
	v.fields, err = contentOf(v.object)
	return v.fields, err
}

// contentOf returns an object's fields, not to be changed. Those of a typed object
// come without managedFields, which are JSON in themselves and dear to take apart.
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
