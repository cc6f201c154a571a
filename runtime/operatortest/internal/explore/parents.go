package explore

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// makeParent returns a parent that this operator sees, and the operators of other tests do not.
func (x *exploration) makeParent(variant int, name string) client.Object {
	object := x.life.Parents[variant](name)
	if x.home != "" {
		object.SetNamespace(x.home)
	}
	x.operator.SetNamespace(object)
	if object.GetNamespace() == "" || x.isWide {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels["test"] = x.operator.Namespace
		object.SetLabels(labels)
	}
	return object
}

// prepare gives a parent a new name, and creates its related objects.
func (p *exploredParent) prepare() {
	p.object = p.x.makeParent(p.variant, p.x.newName())
	p.createRelated()
}

// create creates a parent under a new name, if it has none yet.
func (p *exploredParent) create() {
	if p.object == nil {
		p.prepare()
	}
	if err := p.x.operator.Client.Create(p.x.ctx, p.object); err != nil {
		p.x.t.Errorf("create %s: %v", p.object.GetName(), err)
	}
}

// drop deletes a parent with its children, so that later rounds do not become slower.
func (p *exploredParent) drop() {
	objects := slices.Concat([]client.Object{p.object}, p.related)
	for _, d := range p.x.author.childrenOf(p.object.GetUID()) {
		child := new(unstructured.Unstructured)
		child.SetGroupVersionKind(d.Kind)
		child.SetName(d.Name.Name)
		child.SetNamespace(d.Name.Namespace)
		objects = append(objects, child)
	}
	for _, object := range objects {
		err := p.x.operator.Client.Delete(p.x.ctx, object, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
		if client.IgnoreNotFound(err) != nil {
			p.x.t.Log(err)
		}
	}
	p.x.author.drop(p.object.GetUID())
	p.x.checker.DropParent(p.object.GetUID())
}

// requireChildren fails the test if Sync fails, or desires no children for some of the parents. It
// skips the test if Sync desires none for all of them.
func (x *exploration) requireChildren(parents []*exploredParent) {
	x.t.Helper()
	var without []string
	for _, p := range parents {
		if len(x.author.childrenOf(p.object.GetUID())) > 0 {
			continue
		}
		without = append(without, p.object.GetName())
		for _, result := range x.operator.LoopOf(p.object).Reconciles(client.ObjectKeyFromObject(p.object)) {
			if !result.IsStale && result.Err != nil {
				x.t.Fatalf("%s has no children, and Sync fails: %v", p.object.GetName(), result.Err)
			}
		}
	}
	switch {
	case len(without) == 0:
	case len(without) < len(parents):
		x.t.Fatalf("Sync desires no children for %s", strings.Join(without, ", "))
	default:
		x.t.Skip("Sync desires no children: there is nothing to explore")
	}
}
