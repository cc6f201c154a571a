package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OtherManager names the field manager that has taken what we own of an object's metadata.
func (m Metadata) OtherManager(live client.Object, own string) (manager string, lost []string) {
	metadata := map[string]any{}
	for name, set := range map[string]map[string]string{"labels": m.Labels, "annotations": m.Annotations} {
		values := map[string]any{}
		for key, value := range set {
			values[key] = value
		}
		if len(values) > 0 {
			metadata[name] = values
		}
	}
	desired := map[string]any{"metadata": metadata}
	ours := fieldsOf(entryOf(live, own, metav1.ManagedFieldsOperationApply, ""))
	return otherManagerIn(live, own, "", ours, desired, desired)
}

// OtherStatusManager names the field manager that has taken these parts of an object's
// status from ours.
func OtherStatusManager(live client.Object, own string, parts map[string]any) (manager string, lost []string) {
	desired := map[string]any{"status": parts}
	ours := fieldsOf(entryOf(live, own, metav1.ManagedFieldsOperationUpdate, "status"))
	if content, err := fields(live); err == nil {
		ours = ours.filled(content)
	}
	return otherManagerIn(live, own, "status", ours, desired, desired)
}

// otherManagerIn names the field manager that has taken what a manager desires and does not
// own any more, through a subresource if one is named. fields is what desired holds
// beside an object's identity.
func otherManagerIn(live client.Object, own, subresource string, ours fieldset, desired, fields map[string]any) (manager string, lost []string) {
	var taken, written time.Time
	writer := ""
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == own || entry.FieldsV1 == nil {
			continue
		}
		at := ptrTime(entry.Time)
		if entry.Subresource == subresource && !at.Before(written) {
			writer, written = entry.Manager, at
		}
		theirs := fieldsOf(entry.FieldsV1.GetRawBytes()).within(desired)
		if paths := theirs.minus(ours).paths("", nil); len(paths) > 0 && !at.Before(taken) {
			manager, lost, taken = entry.Manager, paths, at
		}
	}
	if manager != "" {
		return manager, lost
	}
	lost = ours.missing(fields, "", nil) // what is removed belongs to nobody
	if len(lost) == 0 {
		return own, nil // someone who uses our name
	}
	return writer, lost
}

func ptrTime(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// minus returns the paths that another set has not, nor a part of it.
func (s fieldset) minus(other fieldset) fieldset {
	rest := fieldset{}
	for _, each := range s {
		below, ok := other.at(each.name)
		switch {
		case !ok:
			rest = append(rest, each)
		case each.below != nil && below != nil:
			if left := each.below.minus(below); len(left) > 0 {
				rest = append(rest, step{each.name, left})
			}
		}
	}
	return rest
}

// filled leaves out what is empty in an object: who has emptied a map or a list leaves
// it to its owner.
func (s fieldset) filled(object any) fieldset {
	full := make(fieldset, 0, len(s))
	for _, each := range s {
		value, ok := descend(object, each.name)
		list, isList := value.([]any)
		if !ok || empty(value) || isList && len(list) == 0 {
			continue
		}
		if each.below != nil {
			each.below = each.below.filled(value)
		}
		full = append(full, each)
	}
	return full
}

// paths appends the ends of the paths, as a person writes them.
func (s fieldset) paths(prefix string, all []string) []string {
	for _, step := range s {
		path := join(prefix, step.name)
		if len(step.below) == 0 {
			all = append(all, path)
			continue
		}
		all = step.below.paths(path, all)
	}
	return all
}

// missing appends the paths of a desired value that the set lacks.
func (s fieldset) missing(desired any, prefix string, all []string) []string {
	switch desired := desired.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(desired)) {
			path := join(prefix, "f:"+name)
			below, ok := s.field(name)
			switch {
			case !ok:
				all = append(all, path)
			case below != nil:
				all = below.missing(desired[name], path, all)
			}
		}
	case []any:
		found := 0
		for _, step := range s {
			item, ok := find(desired, step.name)
			if !ok {
				continue
			}
			found++
			if step.below != nil {
				all = step.below.missing(item, join(prefix, step.name), all)
			}
		}
		if found < len(desired) {
			all = append(all, prefix)
		}
	}
	return all
}

// join adds a step to a path: spec.ports[port=80,protocol=TCP].name.
func join(path, step string) string {
	kind, name, _ := strings.Cut(step, ":")
	switch {
	case kind != "f":
		return path + "[" + keys(name) + "]"
	case strings.ContainsAny(name, "./"):
		return fmt.Sprintf("%s[%q]", path, name)
	case path == "":
		return name
	}
	return path + "." + name
}

// keys writes the keys of a list item without JSON's decoration.
func keys(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	return strings.NewReplacer(`":`, "=", `,"`, ",", `"`, "").Replace(text)
}
