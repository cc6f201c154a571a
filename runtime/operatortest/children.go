package operatortest

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Children returns the children of a parent at the API server, of all kinds that its controller
// creates, in the order of the kinds. They are typed if the test's scheme has the type.
func (c *Cluster) Children(parent client.Object) []client.Object {
	c.t.Helper()
	if !c.Get(parent) {
		c.t.Fatalf("%s does not exist", c.operator.Describe(parent))
	}
	var children []client.Object
	for _, loop := range c.operator.LoopsOf(parent) {
		for _, kind := range loop.Children {
			for _, object := range c.operator.MustList(kind) {
				if owner, _ := loop.ParentOf(object); owner == parent.GetUID() {
					children = append(children, object)
				}
			}
		}
	}
	return children
}

// ChildrenOf returns the children of a parent that are of one kind; see [Cluster.Children].
func ChildrenOf[T client.Object](c *Cluster, parent client.Object) []T {
	c.t.Helper()
	var children []T
	for _, child := range c.Children(parent) {
		if child, ok := child.(T); ok {
			children = append(children, child)
		}
	}
	return children
}
