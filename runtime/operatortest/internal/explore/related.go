package explore

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// createRelated creates the related objects of a parent.
func (p *exploredParent) createRelated() {
	if p.x.life.Related == nil {
		return
	}
	p.related = p.x.life.Related(p.object)
	for _, object := range p.related {
		if !strings.Contains(object.GetName(), p.object.GetName()) {
			p.x.t.Errorf("the related object %s is not named after its parent %s", object.GetName(), p.object.GetName())
		}
		namespaced, err := p.x.operator.Client.IsObjectNamespaced(object)
		switch {
		case err != nil:
			p.x.t.Errorf("related object %s: %v", object.GetName(), err)
		case namespaced && p.x.home != "":
			object.SetNamespace(p.x.home)
		case namespaced:
			p.x.operator.SetNamespace(object)
		default:
			p.x.t.Cleanup(func() { _ = client.IgnoreNotFound(p.x.operator.Client.Delete(p.x.operator.Context(), object)) })
		}
		if err := p.x.operator.Client.Create(p.x.ctx, object); err != nil {
			p.x.t.Errorf("create related object %s: %v", object.GetName(), err)
		}
	}
}

// relatedObjects returns the related objects that trials can change, by the names of their trials: those
// that were made for the parent, and of each kind one that a child of the parent controls.
func (p *exploredParent) relatedObjects() (names []string, objects map[string]client.Object) {
	objects = map[string]client.Object{}
	add := func(name string, object client.Object) {
		if objects[name] == nil {
			names, objects[name] = append(names, name), object
		}
	}
	parent := p.object.GetName()
	for _, object := range p.related {
		add(p.x.operator.KindOf(object).Kind+" "+strings.ReplaceAll(object.GetName(), parent, "*"), object)
	}
	for _, object := range p.x.shown.relatedOf(p.object.GetUID()) {
		if metav1.GetControllerOf(object) != nil && strings.Contains(object.GetName(), parent) {
			add(p.x.operator.KindOf(object).Kind+" of *", object)
		}
	}
	return names, objects
}

// The mutations of related objects beside those of their values.
const (
	deletion   = "object"
	unlabeling = "all labels"
	relabeling = "a label"
	newContent = "content"
)

// planRelated returns the trials with the related objects of a parent. A short exploration deletes each,
// takes off its labels, and changes one of its labels and one other value.
func (x *exploration) planRelated(p *exploredParent) (trials []*trial) {
	x.t.Helper()
	names, objects := p.relatedObjects()
	chosen := &selection{extent: x.extent, seed: x.seed}
	for _, name := range names {
		object := x.readRelated(objects[name])
		if object == nil {
			x.t.Logf("%s is left out: the operator, or somebody else, has deleted it", name)
			continue
		}
		for i, m := range x.mutationsOfRelated(object) {
			times := []string{running, down}
			if x.extent == short {
				times = times[(i+int(chosen.orderOf(name)%2))%2:][:1]
			}
			for _, when := range times {
				trials = append(trials, &trial{
					variant: p.variant, childName: name, who: relatedWriter, mutationName: nameIn(m, p.object.GetName()), family: m.family, state: asCreated, time: when,
				})
			}
		}
	}
	return trials
}

// mutationsOfRelated returns the mutations of a related object. What a controller of the cluster has made
// is deleted and loses its labels, and otherwise stays as it is.
func (x *exploration) mutationsOfRelated(object *unstructured.Unstructured) (mutations []alteration) {
	labels := schemas.PathOf("metadata", "labels")
	mutations = append(mutations, alteration{text: deletion, family: deletes})
	all, isShort := x.valueMutations(object), x.extent == short
	isMade := metav1.GetControllerOf(object) != nil
	if !isShort && !isMade {
		return append(mutations, all...)
	}
	if len(object.GetLabels()) > 0 {
		mutations = append(mutations, alteration{text: unlabeling, family: removes, edits: []func(map[string]any) bool{labels.Remove}})
	}
	if isMade {
		return mutations
	}
	var ofLabels, ofContent []func(map[string]any) bool
	for _, m := range all {
		switch {
		case m.family != changes:
		case strings.HasPrefix(m.at.String(), labels.String()):
			ofLabels = append(ofLabels, m.edits...)
		default:
			ofContent = append(ofContent, m.edits...)
		}
	}
	if len(ofLabels) > 0 {
		mutations = append(mutations, alteration{text: relabeling, family: changes, edits: ofLabels})
	}
	if len(ofContent) > 0 {
		mutations = append(mutations, alteration{text: newContent, family: changes, edits: ofContent})
	}
	return mutations
}

// valueMutations returns the mutations of the values of an object.
func (x *exploration) valueMutations(object *unstructured.Unstructured) []alteration {
	kind, err := x.checker.Schemas.Kind(object.GroupVersionKind())
	if err != nil {
		x.t.Errorf("schema of %s: %v", object.GetKind(), err)
		return nil
	}
	return mutationsOf(object.Object, kind.Schema)
}

// readRelated returns the live related object. It is nil if there is none.
func (x *exploration) readRelated(object client.Object) *unstructured.Unstructured {
	live := new(unstructured.Unstructured)
	live.SetGroupVersionKind(x.operator.KindOf(object))
	err := x.operator.Client.Get(x.ctx, client.ObjectKeyFromObject(object), live)
	if client.IgnoreNotFound(err) != nil {
		x.t.Error(err)
	}
	if err != nil {
		return nil
	}
	return live
}
