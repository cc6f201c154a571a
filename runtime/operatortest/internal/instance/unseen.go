package instance

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// An operator has seen everything if its watches have delivered what it and the test have written. Both are known without a
// request: the writes by their answers, and what was delivered by the watches. Only where a watch tells of a write of others
// does a list say what else they have written.

// view is how far one watch of the operator is known to show what was written.
type view struct {
	resource schema.GroupResource
	read     int                            // how many writes were looked at
	awaited  sets.Set[types.NamespacedName] // written, and not seen in this form
	foreign  sets.Set[string]               // namespaces in which others have changed an object
	unclear  int                            // writes without an answer that says what they changed
	since    time.Time                      // since when something is awaited
}

// mostAwaited is how long a watch may lack what was written before a list says whether others have changed it since.
const mostAwaited = 100 * time.Millisecond

// DescribeUnseen returns an object whose state the operator has not handled. It is empty if there is none.
func (o *Operator) DescribeUnseen() string {
	o.T.Helper()
	o.viewing.Lock()
	defer o.viewing.Unlock()
	watches := o.RunningProcess().Control.Watches()
	for watch := range o.views {
		if !slices.Contains(watches, watch) { // of an operator that has ended
			delete(o.views, watch)
		}
	}
	for _, watch := range watches {
		if !watch.HasSynced() {
			return fmt.Sprintf("the cache of kind %s is not filled", watch.Kind.Kind)
		}
		view, err := o.viewOf(watch)
		if err != nil {
			return err.Error()
		}
		if reason := o.describeUnseenBy(watch, view); reason != "" {
			return reason
		}
	}
	return ""
}

func (o *Operator) viewOf(watch *testcontrol.Watch) (*view, error) {
	if known, ok := o.views[watch]; ok {
		return known, nil
	}
	mapping, err := o.Client.RESTMapper().RESTMapping(watch.Kind.GroupKind(), watch.Kind.Version)
	if err != nil {
		return nil, fmt.Errorf("kind %s: %w", watch.Kind.Kind, err)
	}
	resource := mapping.Resource.GroupResource()
	made := &view{resource: resource, awaited: sets.New[types.NamespacedName](), foreign: sets.New[string]()}
	if o.views == nil {
		o.views = map[*testcontrol.Watch]*view{}
	}
	o.views[watch] = made
	return made, nil
}

// HasTouched reports whether the operator or the test has written an object of a kind, or a watch has delivered one.
func (o *Operator) HasTouched(kind schema.GroupVersionKind) bool {
	mapping, err := o.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil || o.Written.Has(mapping.Resource.GroupResource()) || o.RunningProcess() == nil {
		return true
	}
	return slices.ContainsFunc(o.RunningProcess().Control.Watches(), func(watch *testcontrol.Watch) bool {
		return watch.Kind.GroupKind() == kind.GroupKind() && hasDelivered(watch)
	})
}

// hasDelivered reports whether a watch has ever delivered an object.
func hasDelivered(watch *testcontrol.Watch) bool {
	for range watch.Handled {
		return true
	}
	return false
}

// describeUnseenBy is DescribeUnseen for one watch.
func (o *Operator) describeUnseenBy(watch *testcontrol.Watch, v *view) string {
	o.T.Helper()
	late := o.describeAwaited(watch, v)
	if late == "" {
		v.since = time.Time{}
	} else if v.since.IsZero() {
		v.since = time.Now()
	}
	o.addForeign(watch, v)
	switch unclear := o.Written.Unclear(v.resource); {
	case unclear > v.unclear: // anywhere
		if reason := o.describeListed(watch, v, o.namespacesOf(watch)); reason != "" {
			return reason
		}
		v.unclear = unclear
		return ""
	case late != "" && time.Since(v.since) < mostAwaited:
		return late
	case late != "":
		for name := range v.awaited {
			v.foreign.Insert(name.Namespace)
		}
	}
	for namespace := range v.foreign {
		if reason := o.describeListed(watch, v, []string{namespace}); reason != "" {
			return reason
		}
	}
	return ""
}

// describeListed compares a watch with a list of each of some namespaces, after which nothing is awaited there.
func (o *Operator) describeListed(watch *testcontrol.Watch, v *view, namespaces []string) string {
	o.T.Helper()
	for _, namespace := range namespaces {
		list, err := o.listWatched(watch, namespace)
		if err != nil {
			return err.Error()
		}
		if reason := list.unhandled(); reason != "" {
			return reason
		}
		v.foreign.Delete(namespace)
		for name := range v.awaited {
			if name.Namespace == namespace {
				v.awaited.Delete(name)
			}
		}
	}
	return ""
}

// describeAwaited returns an object that the operator or the test has written and that a watch has not delivered in this
// form. It is empty if there is none.
func (o *Operator) describeAwaited(watch *testcontrol.Watch, v *view) string {
	written, read := o.Written.Since(v.resource, v.read)
	for _, name := range written {
		if covers(watch, name) {
			v.awaited.Insert(name)
		}
	}
	v.read = read
	for name := range v.awaited {
		state, ok := o.Written.State(v.resource, name)
		if !ok || hasSeen(watch, name, state) {
			v.awaited.Delete(name)
		}
	}
	for name := range v.awaited {
		return fmt.Sprintf("it does not see %s %s as it was written", watch.Kind.Kind, name)
	}
	return ""
}

// addForeign adds the objects that a watch has delivered and that others have written, in the namespaces where the test
// writes.
func (o *Operator) addForeign(watch *testcontrol.Watch, v *view) {
	for _, change := range watch.TakeChanges() {
		name := change.Name
		_, isWritten := o.Written.State(v.resource, name)
		isOurs := isWritten || name.Namespace != "" && (name.Namespace == o.Namespace || o.Written.HasNamespace(name.Namespace))
		if isOurs && !change.Version.Deleted && !o.Written.HasVersion(change.Version.ResourceVersion) { // nothing can follow a deletion
			v.foreign.Insert(name.Namespace)
		}
	}
}

// covers reports whether a watch is for the objects of a name, if their labels are right.
func covers(watch *testcontrol.Watch, name types.NamespacedName) bool {
	if name.Namespace != "" && len(watch.Namespaces) > 0 && !slices.Contains(watch.Namespaces, name.Namespace) {
		return false
	}
	return watch.Fields == nil || watch.Fields.Matches(fields.Set{"metadata.name": name.Name, "metadata.namespace": name.Namespace})
}

// hasSeen reports whether a watch has delivered an object as a write has left it.
func hasSeen(watch *testcontrol.Watch, name types.NamespacedName, state requests.State) bool {
	handled, ok := watch.Version(name)
	if isGone := state.Deleted || watch.Labels != nil && !watch.Labels.Matches(labels.Set(state.Labels)); isGone {
		return !ok || handled.Deleted || handled.UID != state.UID
	}
	return ok && !isOlder(handled.ResourceVersion, state.ResourceVersion)
}
