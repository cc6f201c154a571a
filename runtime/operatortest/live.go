package operatortest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// liveList is the live state of the objects that an event handler of the operator receives.
type liveList struct {
	watch     *testcontrol.Watch
	namespace string // that the list is limited to; empty: it is not
	version   string // resource version of the list
	objects   map[types.NamespacedName]*metav1.PartialObjectMetadata
}

// readWatched returns the live state of all objects that the operator's caches hold.
func readWatched(c *Cluster) []liveList {
	c.t.Helper()
	lists, err := tryReadWatched(c)
	if err != nil {
		c.t.Fatal(err)
	}
	return lists
}

// tryReadWatched is readWatched with an error.
func tryReadWatched(c *Cluster) ([]liveList, error) {
	c.t.Helper()
	var lists []liveList
	for _, watch := range runningProcess(c).control.Watches() {
		for _, namespace := range namespacesOf(c, watch) {
			list, err := listWatched(c, watch, namespace)
			if err != nil {
				return nil, err
			}
			lists = append(lists, list)
		}
	}
	return lists, nil
}

// namespacesOf returns the namespaces of a watch, or one empty name for all.
func namespacesOf(c *Cluster, watch *testcontrol.Watch) []string {
	c.t.Helper()
	object := new(metav1.PartialObjectMetadata)
	object.SetGroupVersionKind(watch.Kind)
	namespaced, err := c.Client.IsObjectNamespaced(object)
	if err != nil {
		c.t.Fatal(err)
	}
	if !namespaced || len(watch.Namespaces) == 0 {
		return []string{""}
	}
	return watch.Namespaces
}

// listWatched returns the live state of the objects of a watch in a namespace.
func listWatched(c *Cluster, watch *testcontrol.Watch, namespace string) (liveList, error) {
	items := new(metav1.PartialObjectMetadataList)
	items.SetGroupVersionKind(watch.Kind.GroupVersion().WithKind(watch.Kind.Kind + "List"))
	if err := c.Client.List(c.context(), items, &client.ListOptions{Namespace: namespace, LabelSelector: watch.Labels, FieldSelector: watch.Fields}); err != nil {
		return liveList{}, err
	}
	list := liveList{watch, namespace, items.ResourceVersion, map[types.NamespacedName]*metav1.PartialObjectMetadata{}}
	for i := range items.Items {
		list.objects[client.ObjectKeyFromObject(&items.Items[i])] = &items.Items[i]
	}
	return list, nil
}

// describeStaleCache returns an object whose live state the operator has not handled. It is empty
// if there is none.
func describeStaleCache(live []liveList) string {
	for _, list := range live {
		if late := list.unhandled(); late != "" {
			return late
		}
	}
	return ""
}

// unhandled is describeStaleCache for one list.
func (l liveList) unhandled() string {
	if !l.watch.HasSynced() {
		return fmt.Sprintf("the cache of kind %s is not filled", l.watch.Kind.Kind)
	}
	for name, object := range l.objects {
		if handled, ok := l.watch.Version(name); !ok || isOlder(handled.ResourceVersion, object.ResourceVersion) {
			return fmt.Sprintf("it does not see %s %s as it is", l.watch.Kind.Kind, name)
		}
	}
	for name, handled := range l.watch.Handled {
		_, exists := l.objects[name]
		covered := l.namespace == "" || l.namespace == name.Namespace
		if !exists && covered && !handled.Deleted && !isOlder(l.version, handled.ResourceVersion) {
			return fmt.Sprintf("it does not see that %s %s is gone", l.watch.Kind.Kind, name)
		}
	}
	return ""
}

// isOlder reports whether a resource version is older than another. Versions without an order are
// older if they differ.
func isOlder(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	if err != nil {
		return version != than
	}
	return order < 0
}

// changedByOthers returns an object that changed between two live states without one of the writes.
// It is empty if there is none.
func changedByOthers(before, after []liveList, writes []exchange) string {
	for i, list := range after {
		if i >= len(before) || before[i].watch != list.watch {
			return "which objects the operator watches"
		}
		for name, object := range list.objects {
			earlier, ok := before[i].objects[name]
			if ok && earlier.ResourceVersion == object.ResourceVersion {
				continue
			}
			if !slices.ContainsFunc(writes, func(e exchange) bool { return e.version == object.ResourceVersion }) {
				return fmt.Sprintf("%s %s", list.watch.Kind.Kind, name)
			}
		}
		for name := range before[i].objects {
			deleted := slices.ContainsFunc(writes, func(e exchange) bool { return e.Verb == "delete" && e.Name == name.Name })
			if _, ok := list.objects[name]; !ok && !deleted {
				return fmt.Sprintf("%s %s", list.watch.Kind.Kind, name)
			}
		}
	}
	return ""
}
