package operatortest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// transient is how long an error may last before the conditions have to show it.
const transient = 15 * time.Second

// condition is what a condition of a parent says.
type condition struct {
	status, reason, message string
	generation              int64
}

// conditions are those that the operator sets on a parent, by type.
type conditions map[string]condition

func conditionsOf(parent *unstructured.Unstructured) conditions {
	said := conditions{}
	list, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	for _, item := range list {
		fields, _ := item.(map[string]any)
		text := func(name string) string { value, _ := fields[name].(string); return value }
		generation, _ := fields["observedGeneration"].(int64)
		if kind := text("type"); slices.Contains([]string{"Ready", "Reconciling", "Stalled"}, kind) {
			said[kind] = condition{text("status"), text("reason"), text("message"), generation}
		}
	}
	return said
}

// String is what Ready says.
func (c conditions) String() string {
	ready, ok := c["Ready"]
	if !ok {
		return "nothing: it has no condition Ready"
	}
	return fmt.Sprintf("Ready=%s, %s: %s", ready.status, ready.reason, ready.message)
}

// aboutHealth are reasons that say how a child is, and not whether it is as desired.
var aboutHealth = []string{"Progressing", "ChildFailed"}

// excuses reports whether the conditions name a child, with a reason that it may differ
// for.
func (c conditions) excuses(child testcontrol.Child, found []untruth, absentOrLeaving bool) bool {
	for _, said := range c {
		switch {
		case isCutOff(said.message) && !slices.Contains(aboutHealth, said.reason):
			return true
		case !namesChild(said.message, child):
		case slices.Contains(aboutHealth, said.reason) && !absentOrLeaving:
		case said.reason == "ChangedByAdmission" && slices.ContainsFunc(found, func(u untruth) bool { return !namesField(said.message, u.path) }):
		default:
			return true
		}
	}
	return false
}

// isCutOff reports whether a message leaves out children or fields: it may have named
// each of them.
func isCutOff(message string) bool { return cutOff.MatchString(message) }

var cutOff = regexp.MustCompile(`and [0-9]+ more\b|…$`)

// namesChild reports whether a message names a child, as Kind name or Kind namespace/name. One
// that leaves out children may have named it.
func namesChild(message string, child testcontrol.Child) bool {
	for _, name := range []string{child.Name.Name, child.Name.String()} {
		text := child.Kind.Kind + " " + name
		for rest := message; ; {
			_, after, ok := strings.Cut(rest, text)
			if !ok {
				break
			}
			if after == "" || !strings.ContainsAny(after[:1], nameCharacters) || strings.HasPrefix(after, ". ") {
				return true
			}
			rest = after
		}
	}
	return isCutOff(message)
}

// nameCharacters are those that go on with a name, or with a namespace.
const nameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-./"

// namesField reports whether a message has the last name of a path.
func namesField(message, path string) bool {
	last := path[strings.LastIndexAny(strings.TrimRight(path, "\"]"), ".[")+1:]
	return strings.Contains(message, strings.Trim(last, "\"[]"))
}
