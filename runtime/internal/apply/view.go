package apply

import (
	"reflect"
	"slices"

	"github.com/cespare/xxhash/v2"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// view is what this field manager owns in a live object.
type view struct {
	object  client.Object
	created fieldset // the paths in the entry of a plain create
	set     fieldset
	raw     []byte // as managedFields has it; nil where set is a part of that
	// others sums up the paths that we hold beside those that are desired: the
	// defaults that came with a plain create, and what desired has dropped.
	others uint64

	fields map[string]any // of the object, once they were asked for
}

// look returns the view of a live object. The paths are those that we have
// applied. Where nothing was applied since a plain create they are those of its
// entry that are desired, since that holds the API server's defaults, too.
func (a *Applier) look(d Desired, live client.Object) *view {
	v := &view{object: live}
	v.raw = entryOf(live, a.Manager, metav1.ManagedFieldsOperationApply, "")
	v.set = fieldsOf(v.raw)
	if v.created = a.created(live); v.created == nil {
		return v
	}
	desired := d.complete("", "")
	if v.raw == nil {
		v.set = v.created.within(desired)
	}
	v.others = v.created.beyond(desired)
	return v
}

// created are the paths in the entry of a plain create.
func (a *Applier) created(live client.Object) fieldset {
	return fieldsOf(entryOf(live, a.Manager, metav1.ManagedFieldsOperationUpdate, ""))
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

// beyond sums up the paths in a set that are not desired. It is zero where there
// is none.
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
		case step.below != nil && !empty(value):
			start := len(text)
			text = append(append(text, '{'), step.name...)
			inside := len(text)
			if text = step.below.appendBeyond(text, value); len(text) == inside {
				text = text[:start]
				continue
			}
			text = append(text, '}')
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

// metadata sums up our paths, and the values of those in the metadata.
func (v *view) metadata() (s sum, err error) {
	err = encoding(func(e *encoder) {
		if v.raw != nil {
			e.text = append(e.text, v.raw...)
		} else {
			e.text = v.set.append(e.text)
		}
		set, _ := v.set.field("metadata")
		e.metadata(v.object, set)
	}, func(text []byte) { s = sumOf(text) })
	return s, err
}

func (e *encoder) metadata(object client.Object, set fieldset) {
	labels, _ := set.field("labels")
	e.texts(object.GetLabels(), labels)
	annotations, _ := set.field("annotations")
	e.texts(object.GetAnnotations(), annotations)
	references, _ := set.field("ownerReferences")
	for _, ref := range object.GetOwnerReferences() {
		if _, ours := references.at(`k:{"uid":"` + string(ref.UID) + `"}`); ours {
			for _, text := range []string{ref.APIVersion, ref.Kind, ref.Name, string(ref.UID)} {
				e.string(text)
			}
			e.bool(ref.Controller)
			e.bool(ref.BlockOwnerDeletion)
		}
	}
	finalizers, _ := set.field("finalizers")
	for _, step := range finalizers {
		found := slices.ContainsFunc(object.GetFinalizers(), func(name string) bool { return step.name == `v:"`+name+`"` })
		e.bool(&found)
	}
}

// texts writes the values that a set names.
func (e *encoder) texts(values map[string]string, set fieldset) {
	for _, step := range set {
		value, ok := values[step.name[min(2, len(step.name)):]]
		e.bool(&ok)
		e.string(value)
	}
}

func (e *encoder) bool(value *bool) {
	if value == nil {
		e.value(nil)
		return
	}
	e.value(*value)
}

// values sums up our values outside of the metadata.
func (v *view) values(desired map[string]any) (s sum, err error) {
	content, err := v.content()
	if err != nil {
		return s, err
	}
	err = encoding(func(e *encoder) {
		for _, step := range v.set {
			if step.name != "f:metadata" {
				e.step(content, desired, step)
			}
		}
	}, func(text []byte) { s = sumOf(text) })
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
		e.step(live, desired, step)
	}
}

func (e *encoder) step(live, desired any, step step) {
	below, found := descend(live, step.name)
	if !found {
		e.text = append(e.text, "absent\n"...)
		return
	}
	wanted, _ := descend(desired, step.name)
	e.owned(below, wanted, step.below)
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
