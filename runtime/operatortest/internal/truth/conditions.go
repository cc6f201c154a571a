package truth

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

// Condition is what a condition of a parent says.
type Condition struct {
	Status, Reason, message string
	Generation              int64
}

// Conditions are those that the operator sets on a parent, by type.
type Conditions map[string]Condition

// ConditionsOf reads the conditions of a parent.
func ConditionsOf(parent *unstructured.Unstructured) Conditions {
	said := Conditions{}
	list, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	for _, item := range list {
		fields, _ := item.(map[string]any)
		text := func(name string) string { value, _ := fields[name].(string); return value }
		generation, _ := fields["observedGeneration"].(int64)
		if kind := text("type"); slices.Contains([]string{"Ready", "Reconciling", "Stalled"}, kind) {
			said[kind] = Condition{text("status"), text("reason"), text("message"), generation}
		}
	}
	return said
}

// String is what Ready says.
func (c Conditions) String() string {
	ready, ok := c["Ready"]
	if !ok {
		return "nothing: it has no condition Ready"
	}
	return fmt.Sprintf("Ready=%s, %s: %s", ready.Status, ready.Reason, ready.message)
}

// IsAboutHealth reports whether a condition says how a child is, and not whether it is as desired.
func (c Condition) IsAboutHealth() bool {
	return c.Reason == "Progressing" || c.Reason == "ChildFailed"
}

// Excuses reports whether the conditions name a child, with a reason that it may differ
// for.
func (c Conditions) Excuses(child testcontrol.Child, found []untruth, absentOrLeaving bool) bool {
	for _, said := range c {
		switch {
		case isCutOff(said.message) && !said.IsAboutHealth():
			return true
		case !namesChild(said.message, child):
		case said.IsAboutHealth() && !absentOrLeaving:
		case said.Reason == "ChangedByAdmission" && slices.ContainsFunc(found, func(u untruth) bool { return !namesField(said.message, u.path) }):
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

// namesChild reports whether a message names a child. One that leaves out children may have named it.
func namesChild(message string, child testcontrol.Child) bool {
	return Mentions(message, child) || isCutOff(message)
}

// Mentions reports whether a text has the name of a child, as Kind name or Kind namespace/name.
func Mentions(message string, child testcontrol.Child) bool {
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
	return false
}

// nameCharacters are those that go on with a name, or with a namespace.
const nameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-./"

// namesField reports whether a message has the last name of a path.
func namesField(message, path string) bool {
	last := path[strings.LastIndexAny(strings.TrimRight(path, "\"]"), ".[")+1:]
	return strings.Contains(message, strings.Trim(last, "\"[]"))
}
