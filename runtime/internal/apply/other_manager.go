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

// OtherManager returns the field manager that took labels and annotations from ours, and their
// paths.
func (m Metadata) OtherManager(live client.Object, own string) (manager string, taken []string) {
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
	owned := parseFieldset(managedEntry(live, own, metav1.ManagedFieldsOperationApply, ""))
	return findOtherManager(live, own, "", owned, desired, desired)
}

// OtherStatusManager returns the field manager that took these parts of an object's status from
// ours, and their paths.
func OtherStatusManager(live client.Object, own string, parts map[string]any) (manager string, taken []string) {
	desired := map[string]any{"status": parts}
	owned := parseFieldset(managedEntry(live, own, metav1.ManagedFieldsOperationUpdate, "status"))
	if content, err := fieldsOfObject(live); err == nil {
		owned = owned.withoutEmpty(content)
	}
	return findOtherManager(live, own, "status", owned, desired, desired)
}

// findOtherManager returns the field manager that took desired fields from ours, through a
// subresource if one is named. own is our manager, owned what it still owns. fields are the desired
// ones without the object's identity. If the fields were removed, it returns the manager that wrote
// last.
func findOtherManager(live client.Object, own, subresource string, owned fieldset, desired, fields map[string]any) (manager string, taken []string) {
	var takenAt, writtenAt time.Time
	lastWriter := ""
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == own || entry.FieldsV1 == nil {
			continue
		}
		at := ptrTime(entry.Time)
		if entry.Subresource == subresource && !at.Before(writtenAt) {
			lastWriter, writtenAt = entry.Manager, at
		}
		theirs := parseFieldset(entry.FieldsV1.GetRawBytes()).intersection(desired)
		if paths := theirs.difference(owned).appendPaths("", nil); len(paths) > 0 && !at.Before(takenAt) {
			manager, taken, takenAt = entry.Manager, paths, at
		}
	}
	if manager != "" {
		return manager, taken
	}
	taken = owned.appendMissing(fields, "", nil) // removed fields have no owner
	if len(taken) == 0 {
		return own, nil // someone else uses our name
	}
	return lastWriter, taken
}

// ptrTime returns the time, or the zero time for nil.
func ptrTime(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// difference returns the paths of the set that the other set does not have. A path of which the
// other set has a part counts as its.
func (s fieldset) difference(other fieldset) fieldset {
	rest := fieldset{}
	for _, each := range s {
		below, ok := other.belowStep(each.name)
		switch {
		case !ok:
			rest = append(rest, each)
		case each.below != nil && below != nil:
			if left := each.below.difference(below); len(left) > 0 {
				rest = append(rest, step{each.name, left})
			}
		}
	}
	return rest
}

// withoutEmpty returns the set without the paths of empty values. A manager that empties a map or a
// list does not become its owner.
func (s fieldset) withoutEmpty(object any) fieldset {
	full, parts := make(fieldset, 0, len(s)), partsOf(object)
	for _, each := range s {
		value, ok := parts.follow(each.name)
		list, isList := value.([]any)
		if !ok || isEmptyObject(value) || isList && len(list) == 0 {
			continue
		}
		if each.below != nil {
			each.below = each.below.withoutEmpty(value)
		}
		full = append(full, each)
	}
	return full
}

// appendPaths appends the ends of the paths in readable form.
func (s fieldset) appendPaths(prefix string, all []string) []string {
	for _, step := range s {
		path := joinPath(prefix, step.name)
		if len(step.below) == 0 {
			all = append(all, path)
			continue
		}
		all = step.below.appendPaths(path, all)
	}
	return all
}

// appendMissing appends the paths of a desired value that the set does not have.
func (s fieldset) appendMissing(desired any, prefix string, all []string) []string {
	switch desired := desired.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(desired)) {
			path := joinPath(prefix, "f:"+name)
			below, ok := s.belowField(name)
			switch {
			case !ok:
				all = append(all, path)
			case below != nil:
				all = below.appendMissing(desired[name], path, all)
			}
		}
	case []any:
		found, items := 0, partsOf(desired)
		for _, step := range s {
			item, ok := items.follow(step.name)
			if !ok {
				continue
			}
			found++
			if step.below != nil {
				all = step.below.appendMissing(item, joinPath(prefix, step.name), all)
			}
		}
		if found < len(desired) {
			all = append(all, prefix)
		}
	}
	return all
}

// joinPath appends a step to a readable path, such as spec.ports[port=80,protocol=TCP].name.
func joinPath(path, step string) string {
	kind, name, _ := strings.Cut(step, ":")
	switch {
	case kind != "f":
		return path + "[" + formatKeys(name) + "]"
	case strings.ContainsAny(name, "./"):
		return fmt.Sprintf("%s[%q]", path, name)
	case path == "":
		return name
	}
	return path + "." + name
}

// formatKeys writes the keys of a list item without the punctuation of JSON.
func formatKeys(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	return strings.NewReplacer(`":`, "=", `,"`, ",", `"`, "").Replace(text)
}
