package instance

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// liveList is the live state of the objects that an event handler of the operator receives.
type liveList struct {
	watch     *testcontrol.Watch
	namespace string // that the list is limited to; empty: it is not
	version   string // resource version of the list
	objects   map[types.NamespacedName]*metav1.PartialObjectMetadata
}

// readWatched returns the live state of the objects that the operator's caches hold, in the namespaces of the test.
func (o *Operator) readWatched() ([]liveList, error) {
	o.T.Helper()
	var lists []liveList
	for _, watch := range o.RunningProcess().Control.Watches() {
		for _, namespace := range o.namespacesOf(watch) {
			list, err := o.listWatched(watch, namespace)
			if err != nil {
				return nil, err
			}
			lists = append(lists, list)
		}
	}
	return lists, nil
}

// namespacesOf returns the namespaces of a watch, those of the test if it is for all, or one empty name if its objects lie in
// none.
func (o *Operator) namespacesOf(watch *testcontrol.Watch) []string {
	o.T.Helper()
	object := new(metav1.PartialObjectMetadata)
	object.SetGroupVersionKind(watch.Kind)
	namespaced, err := o.Client.IsObjectNamespaced(object)
	if err != nil {
		o.T.Fatal(err)
	}
	switch {
	case !namespaced:
		return []string{""}
	case len(watch.Namespaces) == 0:
		return o.Written.Namespaces(o.Namespace)
	}
	return watch.Namespaces
}

// listWatched returns the live state of the objects of a watch in a namespace.
func (o *Operator) listWatched(watch *testcontrol.Watch, namespace string) (liveList, error) {
	items := new(metav1.PartialObjectMetadataList)
	items.SetGroupVersionKind(watch.Kind.GroupVersion().WithKind(watch.Kind.Kind + "List"))
	if err := o.Client.List(o.Context(), items, &client.ListOptions{Namespace: namespace, LabelSelector: watch.Labels, FieldSelector: watch.Fields}); err != nil {
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

// Handled is the version of each object that a watch has delivered to the operator.
type Handled map[*testcontrol.Watch]map[types.NamespacedName]testcontrol.Version

// Handled returns what the watches of the operator have delivered.
func (o *Operator) Handled() Handled {
	handled := Handled{}
	for _, watch := range o.RunningProcess().Control.Watches() {
		handled[watch] = maps.Collect(watch.Handled)
	}
	return handled
}

// ChangedByOthers returns an object that has changed between two states without one of the writes. It is empty if there is
// none.
func ChangedByOthers(before, after Handled, writes []requests.Exchange) string {
	for watch, objects := range after {
		if before[watch] == nil {
			return "which objects the operator watches"
		}
		for name, now := range objects {
			if earlier := before[watch][name]; earlier == now {
				continue
			}
			isOwn := slices.ContainsFunc(writes, func(e requests.Exchange) bool {
				return e.Version == now.ResourceVersion || now.Deleted && e.Verb == "delete" && e.Name == name.Name
			})
			if !isOwn {
				return fmt.Sprintf("%s %s", watch.Kind.Kind, name)
			}
		}
	}
	return ""
}
