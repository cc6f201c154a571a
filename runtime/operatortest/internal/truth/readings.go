package truth

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// readings are the live objects that a check has read. The next one takes them, too, if nothing has happened in between.
type readings struct {
	moment  instance.Moment
	objects map[testcontrol.Child]reading
	lists   map[listedKind][]metav1.PartialObjectMetadata
}

// reading is a live object, or why it could not be read.
type reading struct {
	object *unstructured.Unstructured
	err    error
}

// listedKind is a kind of children of the controller with a label, in a namespace or in all.
type listedKind struct {
	label, namespace string
	kind             schema.GroupVersionKind
}

// refreshReadings drops what was read before something has happened.
func (c *Checker) refreshReadings() {
	now, isValid := c.Moment()
	if !isValid || now != c.readings.moment {
		c.dropReadings()
	}
}

// dropReadings drops what was read.
func (c *Checker) dropReadings() {
	now, _ := c.Moment()
	c.readings = readings{now, map[testcontrol.Child]reading{}, map[listedKind][]metav1.PartialObjectMetadata{}}
}

// readObject returns a live object, which is not to be changed.
func (c *Checker) readObject(name testcontrol.Child) (*unstructured.Unstructured, error) {
	if known, ok := c.readings.objects[name]; ok {
		return known.object, known.err
	}
	live := new(unstructured.Unstructured)
	live.SetGroupVersionKind(name.Kind)
	err := c.Client.Get(c.Context(), name.Name, live)
	c.readings.objects[name] = reading{live, err}
	return live, err
}

// listLabelled returns the metadata of the objects of a kind that carry a controller's label, where its operator may have
// children. It lists only kinds of which there can be one.
func (c *Checker) listLabelled(loop *testcontrol.Loop, kind schema.GroupVersionKind) []metav1.PartialObjectMetadata {
	if !c.HasTouched(kind) {
		return nil
	}
	key := listedKind{loop.Label, c.namespaceOf(loop, kind), kind}
	if known, ok := c.readings.lists[key]; ok {
		return known
	}
	list := new(metav1.PartialObjectMetadataList)
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := c.Client.List(c.Context(), list, client.HasLabels{loop.Label}, client.InNamespace(key.namespace)); err != nil {
		c.T.Log(err)
	}
	c.readings.lists[key] = list.Items
	return list.Items
}

// namespaceOf returns the namespace with all children of a kind that a test can have. It is empty if there may be several.
func (c *Checker) namespaceOf(loop *testcontrol.Loop, kind schema.GroupVersionKind) string {
	namespaces := c.ProcessOptions().Namespaces
	if len(namespaces) != 1 || len(loop.Namespaces[kind.GroupKind()]) > 0 {
		return ""
	}
	return namespaces[0]
}
