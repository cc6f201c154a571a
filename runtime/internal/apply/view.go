package apply

import (
	"hash/fnv"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// view is what this field manager owns in a live object.
type view struct {
	object client.Object
	set    fieldset
	raw    []byte // as managedFields has it; nil where set is a part of that
	// others sums up the paths that we hold beside those that are desired: the
	// defaults that came with a plain create, and what desired has dropped.
	others uint64
}

// look returns the view of a live object. The paths are those that we have
// applied. Where nothing was applied since a plain create they are those of its
// entry that are desired, since that holds the API server's defaults, too.
func (a *Applier) look(d Desired, live client.Object) view {
	v := view{object: live}
	v.raw = entryOf(live, a.Manager, metav1.ManagedFieldsOperationApply, "")
	v.set = fieldsOf(v.raw)
	created := fieldsOf(entryOf(live, a.Manager, metav1.ManagedFieldsOperationUpdate, ""))
	if created == nil {
		return v
	}
	ours, others := created.split(d.complete("", ""))
	if v.raw == nil {
		v.set = ours
	}
	v.others = others.fingerprint()
	return v
}

// split divides a set into the paths that are desired and all others.
func (s fieldset) split(desired any) (ours, others fieldset) {
	ours, others = fieldset{}, fieldset{}
	for _, step := range s {
		value, ok := descend(desired, step.name)
		switch {
		case !ok:
			others = append(others, step)
		case step.below == nil:
			ours = append(ours, step)
		case empty(value):
			ours = append(ours, step) // asked for as it is: what is below are defaults
			ours[len(ours)-1].below = nil
		default:
			in, out := step.below.split(value)
			ours = append(ours, node(step.name, in))
			if len(out) > 0 {
				others = append(others, node(step.name, out))
			}
		}
	}
	return ours, others
}

func node(name string, below fieldset) step { return step{name, below} }

func empty(value any) bool {
	fields, ok := value.(map[string]any)
	return ok && len(fields) == 0
}

// fingerprint sums up a set; that of an empty one is zero.
func (s fieldset) fingerprint() uint64 {
	if len(s) == 0 {
		return 0
	}
	hash := fnv.New64a()
	hash.Write(s.append(nil))
	return hash.Sum64()
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
func (v view) metadata() (s sum, err error) {
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
func (v view) values(desired map[string]any) (s sum, err error) {
	content, err := contentOf(v.object)
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

// contentOf returns an object's fields, not to be changed.
func contentOf(object client.Object) (map[string]any, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u.Object, nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}
