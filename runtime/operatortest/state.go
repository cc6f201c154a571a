package operatortest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// State is what an operator has made of its parents: their conditions and status, and
// every field of their children but those that are another value each time. [Diff]
// compares two of them, also of different clusters of one test, and shows no value of
// a Secret or of an environment variable.
type State struct {
	objects map[string]map[string]any // by "Kind name"
}

// EndState waits until the operator is settled, and returns the state of the parents, or
// of all that it knows of if none is named, and of their children. What the API server
// chooses is left out: UIDs, versions, times, addresses, ports of nodes, and the status
// of children. The test's namespace is written as (namespace).
//
// It is for the comparison of a run in which something went wrong with one in which
// nothing did:
//
//	if differences := operatortest.Diff(undisturbed.EndState(), disturbed.EndState()); differences != "" {
//		t.Errorf("the end state differs (-undisturbed +disturbed):\n%s", differences)
//	}
func (c *Cluster) EndState(parents ...client.Object) State {
	c.t.Helper()
	c.operator.AwaitSettled(instance.Soon / 2)
	state := State{objects: map[string]map[string]any{}}
	uids := map[string]string{c.Namespace: "(namespace)"}
	for _, parent := range c.checker.ParentsOrAll(parents) {
		live := c.readObject(parent)
		uids[string(live.GetUID())] = "(" + live.GetKind() + " " + live.GetName() + ")"
		state.addObject(live, uids, "status")
		for _, child := range c.Children(parent) {
			live := c.readObject(child)
			for _, loop := range c.operator.LoopsOf(parent) {
				unstructured.RemoveNestedField(live.Object, "metadata", "annotations", loop.HashKey)
			}
			state.addObject(live, uids, slices.Collect(maps.Keys(live.Object))...)
		}
	}
	return state
}

// readObject returns an object as the API server has it.
func (c *Cluster) readObject(object client.Object) *unstructured.Unstructured {
	c.t.Helper()
	live := new(unstructured.Unstructured)
	live.SetGroupVersionKind(c.operator.KindOf(object))
	live.SetNamespace(object.GetNamespace())
	live.SetName(object.GetName())
	if !c.Get(live) {
		c.t.Fatalf("%s does not exist", c.operator.Describe(object))
	}
	return live
}

// addObject adds what an object has under these fields.
func (s State) addObject(object *unstructured.Unstructured, names map[string]string, fields ...string) {
	content := map[string]any{}
	for _, field := range fields {
		if value, ok := object.Object[field]; ok {
			content[field] = value
		}
	}
	if len(fields) > 1 || fields[0] != "status" {
		delete(content, "status")
	}
	if metadata, ok := content["metadata"].(map[string]any); ok {
		kept := map[string]any{}
		for _, name := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
			if value, ok := metadata[name]; ok {
				kept[name] = value
			}
		}
		content["metadata"] = kept
	}
	name := object.GetName()
	if namespace := object.GetNamespace(); namespace != "" {
		name = replaceNames(namespace, names) + "/" + name
	}
	s.objects[object.GetKind()+" "+name], _ = lastingValue("", content, names).(map[string]any)
}

// chosen are fields that the API server, or a controller of the cluster, fills in.
var chosen = []string{
	"clusterIP", "clusterIPs", "healthCheckNodePort", "nodePort", "nodeName", "volumeName", "resourceVersion",
	"controller-uid", "batch.kubernetes.io/controller-uid", "deployment.kubernetes.io/revision",
	appsv1.DeprecatedTemplateGeneration,
}

// lastingValue is a copy of a value without what differs from one run to the next.
func lastingValue(path string, value any, names map[string]string) any {
	switch value := value.(type) {
	case map[string]any:
		fields := map[string]any{}
		for name, field := range value {
			if !slices.Contains(chosen, name) || field == "None" {
				fields[name] = lastingValue(diff.JoinPath(path, name), field, names)
			}
		}
		return fields
	case []any:
		var items []any
		for _, item := range value {
			if fields, ok := item.(map[string]any); ok && strings.HasPrefix(fmt.Sprint(fields["name"]), "kube-api-access-") {
				continue
			}
			items = append(items, lastingValue(path, item, names))
		}
		return items
	case string:
		if _, err := time.Parse(time.RFC3339, value); err == nil {
			return "(time)"
		}
		return replaceNames(value, names)
	}
	return value
}

var uid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func replaceNames(text string, names map[string]string) string {
	for _, from := range slices.Sorted(maps.Keys(names)) {
		text = strings.ReplaceAll(text, from, names[from])
	}
	if uid.MatchString(text) {
		return "(uid)"
	}
	return text
}

// diffTo describes how another state differs, without secrets.
func (s State) diffTo(other State) string {
	keys := maps.Clone(s.objects)
	maps.Copy(keys, other.objects)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		left, has := s.objects[name]
		right, also := other.objects[name]
		if !has || !also {
			fmt.Fprintf(&text, "%s:\n", name)
			if has {
				text.WriteString("  - exists\n")
			} else {
				text.WriteString("  + exists\n")
			}
			continue
		}
		kind, _, _ := strings.Cut(name, " ")
		found := diff.HideSecrets(diff.JSON(left, right), kind == "Secret")
		for i := range found {
			found[i].Path = name + " " + found[i].Path
		}
		text.WriteString(diff.Describe(found))
	}
	return text.String()
}
